#include "api/gates.h"
#include "backends/compatibility/policy.h"

namespace coppice::backends {
namespace {

class GrovePolicy final : public CompatibilityPolicy {
 public:
  bool ChecksProfileOptions() const override { return false; }
  bool MatchesSchedulersByProfileOnly() const override { return true; }
  bool UnnamedSchedulerIsProfileName() const override { return true; }
  bool HonorsBackendAnnotation() const override { return false; }
  bool WritesGangsOfDisabledSchedulers() const override { return false; }

  bool RequiresGoDurations() const override { return true; }
  bool RefusalsNameTheirField() const override { return false; }
  bool SuggestsRemedies() const override { return false; }
  bool ValidatesTranslation() const override { return false; }
  bool ValidatesGeneratedObjects() const override { return false; }
  bool ValidatesSchedulerChange() const override { return false; }
  bool RefusesUnsupportedTopology() const override { return true; }
  std::string_view TopologyBindingsField() const override {
    // Grove's message names this field, although its API does not have it.
    return "schedulerTopologyReferences";
  }

  bool WatchesDefinitions() const override { return false; }
  bool StaysWithinGroveRole() const override { return true; }
  bool ManagesTopology(std::string_view backend, bool /*keeps_topology*/) const override {
    return backend == "kai";
  }

  bool LabelsGangsWithBackend() const override { return false; }
  bool LabelsGangsWithReplica() const override { return false; }
  bool AnnotatesGangsForBackend() const override { return false; }
  bool CopiesLastAppliedToGangs() const override { return true; }
  bool WaitsForPodsOfGang() const override { return false; }
  bool BackendsWriteGangStatus() const override { return false; }
  bool ReusesPlacesInUpdates() const override { return false; }
  bool RequiresOnePriorityClass() const override { return false; }
  bool ResolvesTopologyKeys() const override { return false; }
  bool DropsRedundantTopology() const override { return false; }

  bool TracksGeneratedObjects() const override { return false; }
  bool PodGroupNamesHaveUid() const override { return false; }
  bool ShortensSubGroupNames() const override { return false; }
  bool KeepsReleasedMinimum() const override { return false; }
  bool SetsOptionalPodGroupFields() const override { return false; }
  bool HasDefaultQueue() const override { return false; }
  bool FollowsTopologyReferences() const override { return false; }
  bool CopiesGangLabelsToVolcano() const override { return true; }
  bool RequiresVolcanoSubGroups() const override { return true; }
  bool GroupsVolcanoRoles() const override { return false; }
  bool OmitsVolcanoRolesWithoutMinimum() const override { return false; }
  bool SetsVolcanoMinResources() const override { return false; }
  bool MarksVolcanoTasks() const override { return false; }
  bool ResolvesVolcanoQueueByClique() const override { return true; }
  bool HonorsVolcanoQueueName() const override { return false; }
  bool SchedulesGangsByDefault() const override { return false; }
  bool ReportsPlainScheduling() const override { return false; }

  std::string SchedulingGate(std::string /*own*/) const override {
    return std::string(api::gates::kGrovePodGang);
  }
  bool ReleaseNeedsSyncedGang() const override { return false; }
  bool BaseGangIsScheduledByCliques() const override { return true; }
  bool HoldsSurplusPods() const override { return false; }
  bool AddsGangSettingsToPods() const override { return false; }
  bool CopiesForeignMetadataToPods() const override { return true; }
  bool KeepsTemplateGates() const override { return false; }
  bool InitContainerIsSubcommand() const override { return false; }
  DeletionTieBreak DeletesEqualPods() const override { return DeletionTieBreak::kCreationBatches; }

  bool KeepsForeignMetadata() const override { return false; }
  bool LabelsClaimsWithQueue() const override { return false; }
  bool DefersRestOfNewSets() const override { return false; }
  bool ReportsReplicaFailure() const override { return false; }
  bool ReportsLostReplicas() const override { return false; }
  bool CountsTerminatingPods() const override { return true; }
  bool WaitsForRecreatedReplicas() const override { return false; }
};

}  // namespace

const CompatibilityPolicy& CompatibilityPolicy::Grove() {
  static const GrovePolicy policy;
  return policy;
}

}  // namespace coppice::backends
