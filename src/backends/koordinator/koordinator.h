#pragma once

#include <memory>

#include "api/foreign/names.h"
#include "backends/framework/backend.h"
#include "backends/framework/ladder.h"

namespace coppice::backends::koordinator {

inline constexpr std::string_view kSchedulerName = "koord-scheduler";
inline constexpr std::string_view kPodGroupLabel = "pod-group.scheduling.sigs.k8s.io";
inline constexpr std::string_view kQuotaLabel = api::foreign::kKoordinatorQuotaName;
// The layer for the nodes themselves in a ClusterNetworkTopology.
inline constexpr std::string_view kNodeLayer = "NodeTopologyLayer";

// The PodGroup that Koordinator reads, its alias in Koordinator's own API group, which no release
// serves (docs/behaviour/backends.md B-03), and Koordinator's other kinds.
inline const api::Resource kPodGroups{"scheduling.sigs.k8s.io", "v1alpha1", "podgroups", "PodGroup",
                                      true};
inline const api::Resource kAliasPodGroups{"scheduling.koordinator.sh", "v1alpha1", "podgroups",
                                           "PodGroup", true};
inline const api::Resource kNetworkTopologies{"scheduling.koordinator.sh", "v1alpha1",
                                              "clusternetworktopologies", "ClusterNetworkTopology",
                                              false};
inline const api::Resource kReservations{"scheduling.koordinator.sh", "v1alpha1", "reservations",
                                         "Reservation", false};
// Koordinator's explanation of why pods wait, created on request.
inline const api::Resource kExplanations{"scheduling.koordinator.sh", "v1alpha1",
                                         "scheduleexplanations", "ScheduleExplanation", true};

// Koordinator: one PodGroup per role, joined into a gang group by annotations. Without the CRD, the
// same keys are on the pods.
class KoordinatorBackend final : public SchedulerBackend {
 public:
  std::string_view name() const override { return "koordinator"; }
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
  bool KeepsTopology() const override { return true; }
  std::vector<DesiredObject> TranslateTopology(const GangInput& input,
                                               const json::Value& binding) const override;
  std::vector<base::FieldCause> ValidateSet(const GangInput& input) const override;
};

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile& profile);

}  // namespace coppice::backends::koordinator
