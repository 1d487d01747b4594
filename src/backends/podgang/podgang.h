#pragma once

#include <memory>

#include "backends/framework/backend.h"

namespace coppice::backends::podgang {

inline constexpr std::string_view kSchedulerName = "grove-scheduler";
inline constexpr std::string_view kLpxSchedulerName = "lpx-scheduler";

// For schedulers that read PodGangs themselves: pods get their schedulerName, and nothing else is
// written. Also serves upstream Grove's `lpx-scheduler`, which does not support topology
// constraints.
class PodGangBackend final : public SchedulerBackend {
 public:
  PodGangBackend(std::string name, std::string scheduler_name, bool topology)
      : name_(std::move(name)), scheduler_name_(std::move(scheduler_name)), topology_(topology) {}

  std::string_view name() const override { return name_; }
  bool Matches(std::string_view scheduler_name) const override;
  std::string PodSchedulerName(std::string_view scheduler_name) const override;
  std::vector<ResourceUse> Resources() const override { return {}; }
  std::optional<std::vector<Option>> Options() const override { return std::vector<Option>(); }
  bool PodsNeedGang() const override { return false; }
  Translation Translate(const GangInput& input) const override;
  base::Status MarkPod(const GangInput& input, const PodSlot& slot,
                       json::Value& pod) const override;
  std::vector<base::FieldCause> ValidateSet(const GangInput& input) const override;

 private:
  const std::string name_;
  const std::string scheduler_name_;
  const bool topology_;  // Whether the scheduler honours topology constraints.
};

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile& profile);
base::Result<std::unique_ptr<SchedulerBackend>> MakeLpx(const Profile& profile);

}  // namespace coppice::backends::podgang
