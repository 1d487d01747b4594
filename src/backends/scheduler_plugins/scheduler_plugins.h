#pragma once

#include <memory>

#include "api/foreign/names.h"
#include "backends/framework/backend.h"

namespace coppice::backends::scheduler_plugins {

inline constexpr std::string_view kSchedulerName = "scheduler-plugins-scheduler";
inline constexpr std::string_view kPodGroupLabel = api::foreign::kSchedulerPluginsPodGroup;
inline const api::Resource kPodGroups{"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup",
                                      true};

// The coscheduling plugin: one flat gang of the core pods.
class SchedulerPluginsBackend final : public SchedulerBackend {
 public:
  std::string_view name() const override { return "scheduler-plugins"; }
  bool Matches(std::string_view scheduler_name) const override;
  std::string PodSchedulerName(std::string_view scheduler_name) const override;
  std::vector<ResourceUse> Resources() const override;
  std::optional<std::vector<Option>> Options() const override;
  bool PodsNeedGang() const override { return false; }
  Translation Translate(const GangInput& input) const override;
  base::Status MarkPod(const GangInput& input, const PodSlot& slot,
                       json::Value& pod) const override;
  ReleaseRule Release(const GangInput&) const override { return {.hold_surplus = true}; }
  bool NeedsWaking() const override { return true; }
  Signals ReadSignals(const GangInput& input, std::span<const json::Value> objects,
                      std::span<const json::Value> pods) const override;
};

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile& profile);

}  // namespace coppice::backends::scheduler_plugins
