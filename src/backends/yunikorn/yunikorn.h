#pragma once

#include <memory>

#include "api/foreign/names.h"
#include "backends/framework/backend.h"
#include "backends/model/labels.h"

namespace coppice::backends::yunikorn {

inline constexpr std::string_view kSchedulerName = "yunikorn";
inline constexpr std::string_view kAppId = labels::kApplication;
inline constexpr std::string_view kQueue = api::foreign::kYunikornQueue;
inline constexpr std::string_view kTaskGroupName = api::foreign::kYunikornTaskGroupName;
inline constexpr std::string_view kTaskGroups = api::foreign::kYunikornTaskGroups;
inline constexpr std::string_view kPolicyParameters = api::foreign::kYunikornPolicyParameters;
// On the PodGang: how often the gang was restarted because its placeholders timed out.
inline constexpr std::string_view kAttempt = api::labels::kYunikornAttempt;

// YuniKorn: no object of its own. Every pod carries the definition of the whole gang, because the
// first pod that YuniKorn sees defines the application for good.
class YuniKornBackend final : public SchedulerBackend {
 public:
  std::string_view name() const override { return "yunikorn"; }
  bool Matches(std::string_view scheduler_name) const override;
  std::string PodSchedulerName(std::string_view scheduler_name) const override;
  std::vector<ResourceUse> Resources() const override;
  std::optional<std::vector<Option>> Options() const override;
  bool WeighsPreferences() const override { return false; }
  Translation Translate(const GangInput& input) const override;
  base::Status MarkPod(const GangInput& input, const PodSlot& slot,
                       json::Value& pod) const override;
  Signals ReadSignals(const GangInput& input, std::span<const json::Value> objects,
                      std::span<const json::Value> pods) const override;
  Repair MakeRepair(const GangInput& input, std::span<const json::Value> objects,
                    std::span<const json::Value> pods) const override;
};

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile& profile);

}  // namespace coppice::backends::yunikorn
