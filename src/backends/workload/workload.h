#pragma once

#include <memory>

#include "backends/framework/backend.h"

namespace coppice::backends::workload {

inline constexpr std::string_view kSchedulerName = "default-scheduler";

// Kubernetes' own scheduler: gangs as Workloads and PodGroups of scheduling.k8s.io, in whichever of
// its four versions the cluster serves. Under `compatibility: grove` nothing is written unless the
// profile sets gangScheduling: true.
class WorkloadBackend final : public SchedulerBackend {
 public:
  std::string_view name() const override { return "default"; }
  bool Matches(std::string_view scheduler_name) const override;
  std::string PodSchedulerName(std::string_view scheduler_name) const override;
  std::string SchedulingGate() const override;
  std::vector<ResourceUse> Resources() const override;
  std::optional<std::vector<Option>> Options() const override;
  bool PodsNeedGang() const override { return false; }
  Translation Translate(const GangInput& input) const override;
  base::Status MarkPod(const GangInput& input, const PodSlot& slot,
                       json::Value& pod) const override;
  ReleaseRule Release(const GangInput& input) const override;
  Signals ReadSignals(const GangInput& input, std::span<const json::Value> objects,
                      std::span<const json::Value> pods) const override;

 private:
  // Whether gangs are written at all; otherwise pods are scheduled one by one.
  bool WritesGangs(const GangInput& input) const;
};

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile& profile);

}  // namespace coppice::backends::workload
