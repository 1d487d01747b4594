#pragma once

#include <memory>

#include "api/foreign/names.h"
#include "api/labels.h"
#include "backends/framework/backend.h"

namespace coppice::backends::volcano {

inline constexpr std::string_view kSchedulerName = "volcano";
inline constexpr std::string_view kGroupAnnotation = api::foreign::kVolcanoGroupName;
inline constexpr std::string_view kVolcanoGroupAnnotation = api::foreign::kVolcanoShGroupName;
inline constexpr std::string_view kTaskSpec = api::foreign::kVolcanoTaskSpec;
inline constexpr std::string_view kPreemptable = api::foreign::kVolcanoPreemptable;
// The annotation with which Grove users name the queue of a set or a clique.
inline constexpr std::string_view kQueueAnnotation = api::labels::kVolcanoQueue;
// Upstream's reason for a Volcano without sub-groups.
inline constexpr std::string_view kCapabilityUnavailable = "VolcanoCapabilityUnavailable";

// Optional fields of PodGroups. Discovery finds out whether the installed release has them.
inline constexpr char kSubGroupField[] = "spec.subGroupPolicy";
inline constexpr char kTopologyField[] = "spec.networkTopology";
inline constexpr char kTierNameField[] = "spec.networkTopology.highestTierName";

inline const api::Resource kPodGroups{"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup",
                                      true};
inline const api::Resource kQueues{"scheduling.volcano.sh", "v1beta1", "queues", "Queue", false};
inline const api::Resource kHyperNodes{"topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode",
                                       false};

// Volcano: one PodGroup per gang, with a sub-group per role since 1.14 and per-task minimums
// before.
class VolcanoBackend final : public SchedulerBackend {
 public:
  std::string_view name() const override { return "volcano"; }
  bool Matches(std::string_view scheduler_name) const override;
  std::string PodSchedulerName(std::string_view scheduler_name) const override;
  std::vector<ResourceUse> Resources() const override;
  std::optional<std::vector<Option>> Options() const override;
  bool PodsNeedGang() const override { return false; }
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

}  // namespace coppice::backends::volcano
