#include "backends/compatibility/policy.h"

namespace coppice::backends {
namespace {

class CoppicePolicy final : public CompatibilityPolicy {
 public:
  bool ChecksProfileOptions() const override { return true; }
  bool MatchesSchedulersByProfileOnly() const override { return false; }
  bool UnnamedSchedulerIsProfileName() const override { return false; }
  bool HonorsBackendAnnotation() const override { return true; }
  bool WritesGangsOfDisabledSchedulers() const override { return true; }

  bool RequiresGoDurations() const override { return false; }
  bool RefusalsNameTheirField() const override { return true; }
  bool SuggestsRemedies() const override { return true; }
  bool ValidatesTranslation() const override { return true; }
  bool ValidatesGeneratedObjects() const override { return true; }
  bool ValidatesSchedulerChange() const override { return true; }
  bool RefusesUnsupportedTopology() const override { return false; }
  std::string_view TopologyBindingsField() const override { return "schedulerTopologyBindings"; }

  bool WatchesDefinitions() const override { return true; }
  bool StaysWithinGroveRole() const override { return false; }
  bool ManagesTopology(std::string_view /*backend*/, bool keeps_topology) const override {
    return keeps_topology;
  }

  bool LabelsGangsWithBackend() const override { return true; }
  bool LabelsGangsWithReplica() const override { return true; }
  bool AnnotatesGangsForBackend() const override { return true; }
  bool CopiesLastAppliedToGangs() const override { return false; }
  bool WaitsForPodsOfGang() const override { return true; }
  bool BackendsWriteGangStatus() const override { return true; }
  bool ReusesPlacesInUpdates() const override { return true; }
  bool RequiresOnePriorityClass() const override { return true; }
  bool ResolvesTopologyKeys() const override { return true; }
  bool DropsRedundantTopology() const override { return true; }

  bool TracksGeneratedObjects() const override { return true; }
  bool PodGroupNamesHaveUid() const override { return true; }
  bool ShortensSubGroupNames() const override { return true; }
  bool KeepsReleasedMinimum() const override { return true; }
  bool SetsOptionalPodGroupFields() const override { return true; }
  bool HasDefaultQueue() const override { return true; }
  bool FollowsTopologyReferences() const override { return true; }
  bool CopiesGangLabelsToVolcano() const override { return false; }
  bool RequiresVolcanoSubGroups() const override { return false; }
  bool GroupsVolcanoRoles() const override { return true; }
  bool OmitsVolcanoRolesWithoutMinimum() const override { return true; }
  bool SetsVolcanoMinResources() const override { return true; }
  bool MarksVolcanoTasks() const override { return true; }
  bool ResolvesVolcanoQueueByClique() const override { return false; }
  bool HonorsVolcanoQueueName() const override { return true; }
  bool SchedulesGangsByDefault() const override { return true; }
  bool ReportsPlainScheduling() const override { return true; }

  std::string SchedulingGate(std::string own) const override { return own; }
  bool ReleaseNeedsSyncedGang() const override { return true; }
  bool BaseGangIsScheduledByCliques() const override { return false; }
  bool HoldsSurplusPods() const override { return true; }
  bool AddsGangSettingsToPods() const override { return true; }
  bool CopiesForeignMetadataToPods() const override { return false; }
  bool KeepsTemplateGates() const override { return true; }
  bool InitContainerIsSubcommand() const override { return true; }
  DeletionTieBreak DeletesEqualPods() const override {
    return DeletionTieBreak::kHighestIndexFirst;
  }

  bool KeepsForeignMetadata() const override { return true; }
  bool LabelsClaimsWithQueue() const override { return true; }
  bool DefersRestOfNewSets() const override { return true; }
  bool ReportsReplicaFailure() const override { return true; }
  bool ReportsLostReplicas() const override { return true; }
  bool CountsTerminatingPods() const override { return false; }
  bool WaitsForRecreatedReplicas() const override { return true; }
};

}  // namespace

const CompatibilityPolicy& CompatibilityPolicy::Coppice() {
  static const CoppicePolicy policy;
  return policy;
}

}  // namespace coppice::backends
