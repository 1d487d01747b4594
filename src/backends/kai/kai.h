#pragma once

#include <memory>

#include "api/kai/names.h"
#include "backends/framework/backend.h"

namespace coppice::backends::kai {

inline constexpr std::string_view kSchedulerName = "kai-scheduler";
inline constexpr std::string_view kQueueKey = api::kai::names::kQueueLabel;
using api::kai::names::kNodePoolLabel;
using api::kai::names::kSkipGrouper;
inline constexpr std::string_view kPodGroupName = "pod-group-name";
using api::kai::names::kPreemptibility;
using api::kai::names::kPreemptionDelay;
using api::kai::names::kSubGroupLabel;
inline constexpr std::string_view kStalenessGrace = api::kai::names::kStalenessGracePeriod;
inline constexpr std::string_view kStaleSince = api::kai::names::kStaleTimestamp;

// KAI: one PodGroup per gang, whose sub-group tree expresses everything natively.
class KaiBackend final : public SchedulerBackend {
 public:
  std::string_view name() const override { return "kai"; }
  bool Matches(std::string_view scheduler_name) const override;
  std::string PodSchedulerName(std::string_view scheduler_name) const override;
  std::vector<ResourceUse> Resources() const override;
  std::optional<std::vector<Option>> Options() const override {
    return std::vector<Option>{{"defaultQueue"}};
  }
  json::Value GangAnnotations() const override;
  std::string_view GroveProblemEvent() const override { return "KAIBackendMappingFailed"; }
  Translation Translate(const GangInput& input) const override;
  base::Status MarkPod(const GangInput& input, const PodSlot& slot,
                       json::Value& pod) const override;
  Signals ReadSignals(const GangInput& input, std::span<const json::Value> objects,
                      std::span<const json::Value> pods) const override;
  bool KeepsTopology() const override { return true; }
  std::vector<DesiredObject> TranslateTopology(const GangInput& input,
                                               const json::Value& binding) const override;
  std::vector<base::FieldCause> ValidateSet(const GangInput& input) const override;
};

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile& profile);

}  // namespace coppice::backends::kai
