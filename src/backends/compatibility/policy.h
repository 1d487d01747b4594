#pragma once

#include <string>
#include <string_view>

namespace coppice::backends {

// Which pod is deleted first when several are equal and were created within the same second.
enum class DeletionTieBreak {
  kHighestIndexFirst,
  // The order in which Grove's operator creates pods: in batches of 1, 2, 4, …
  kCreationBatches,
};

// Every decision in which Grove's operator and ours differ. The configuration chooses one of the
// two implementations (`compatibility: grove`). The logic asks for the decision, never for the
// product. Each implementation has its own file: coppice_policy.cpp, grove_policy.cpp.
//
// Stateless and immutable: safe to call from any thread, and lives as long as the process. A new
// difference is a new method here, documented by what it decides.
//
//   if (input.policy->RequiresOnePriorityClass()) COPPICE_TRY(CheckPriority(input));
class CompatibilityPolicy {
 public:
  // Coppice's own behaviour.
  static const CompatibilityPolicy& Coppice();
  // The behaviour of Grove's operator, for clusters where Coppice replaces it in place.
  static const CompatibilityPolicy& Grove();

  virtual ~CompatibilityPolicy() = default;

  // --- Which scheduler a set gets.

  // Rejects profiles with unknown or mistyped options.
  virtual bool ChecksProfileOptions() const = 0;
  // If true, a schedulerName must be the name of a profile. Otherwise the names that a backend
  // matches count too.
  virtual bool MatchesSchedulersByProfileOnly() const = 0;
  // If true, cliques without a schedulerName are treated as naming the default profile. Otherwise
  // they are treated as naming the scheduler behind that profile.
  virtual bool UnnamedSchedulerIsProfileName() const = 0;
  // The annotation grove.io/scheduler-backend on a set chooses its backend.
  virtual bool HonorsBackendAnnotation() const = 0;
  // If true, the gangs of a set whose scheduler is not enabled are written, with a condition that
  // explains why they make no progress. Otherwise an event on the set reports it.
  virtual bool WritesGangsOfDisabledSchedulers() const = 0;

  // --- What admission rejects, and how it reports it.

  // Rejects durations that Go cannot parse, before defaults are applied.
  virtual bool RequiresGoDurations() const = 0;
  // If true, a rejection by a backend names the field in question. Otherwise it shows the whole
  // spec.
  virtual bool RefusalsNameTheirField() const = 0;
  // Messages end with a suggested fix.
  virtual bool SuggestsRemedies() const = 0;
  // Rejects sets whose gangs the backend cannot translate.
  virtual bool ValidatesTranslation() const = 0;
  // Rejects sets whose pods or generated object names the API server would reject.
  virtual bool ValidatesGeneratedObjects() const = 0;
  // Rejects a change of a set's scheduler that its gangs could not follow.
  virtual bool ValidatesSchedulerChange() const = 0;
  // If true, topology constraints are rejected for lpx and Volcano. Otherwise they are translated
  // or approximated.
  virtual bool RefusesUnsupportedTopology() const = 0;
  // The field of a ClusterTopologyBinding that rejections name.
  virtual std::string_view TopologyBindingsField() const = 0;

  // --- What the operator uses in the cluster.

  // Watches CustomResourceDefinitions and repeats discovery when they change.
  virtual bool WatchesDefinitions() const = 0;
  // Reads only resources that Grove's operator uses, because we may run with its ClusterRole.
  virtual bool StaysWithinGroveRole() const = 0;
  // Whether we write a binding's topology objects for this backend. `keeps_topology`: the backend
  // has topology objects of its own.
  virtual bool ManagesTopology(std::string_view backend, bool keeps_topology) const = 0;

  // --- PodGangs.

  // PodGangs carry the label grove.io/scheduler-backend.
  virtual bool LabelsGangsWithBackend() const = 0;
  // PodGangs carry labels with the set's replica and the base gang.
  virtual bool LabelsGangsWithReplica() const = 0;
  // PodGangs carry the annotations that the backend asks for.
  virtual bool AnnotatesGangsForBackend() const = 0;
  // Copies kubectl's last-applied-configuration annotation from the set to its PodGangs.
  virtual bool CopiesLastAppliedToGangs() const = 0;
  // If true, a PodGang is written once, when all its pods exist. Otherwise it is updated as pods
  // appear.
  virtual bool WaitsForPodsOfGang() const = 0;
  // If true, backends write the status and conditions of PodGangs. Otherwise the operator sets
  // Initialized, and problems are reported as events on the gang.
  virtual bool BackendsWriteGangStatus() const = 0;
  // Pods that an update recreates ask for the nodes of the pods they replace.
  virtual bool ReusesPlacesInUpdates() const = 0;
  // If a gang has a priority class, all its pods must have it.
  virtual bool RequiresOnePriorityClass() const = 0;
  // A topology key must be a level of the gang's topology and a label of some node.
  virtual bool ResolvesTopologyKeys() const = 0;
  // Drops constraints that an outer scope already implies.
  virtual bool DropsRedundantTopology() const = 0;

  // --- Objects of schedulers.

  // Generated objects carry labels and annotations that let us find and compare them.
  virtual bool TracksGeneratedObjects() const = 0;
  // KAI: PodGroups are named pg-<gang>-<uid>; otherwise they have the gang's name.
  virtual bool PodGroupNamesHaveUid() const = 0;
  // KAI: sub-group names are shortened to the length limit of labels.
  virtual bool ShortensSubGroupNames() const = 0;
  // KAI: a released gang keeps its minimum if KAI can be told not to evict gangs that fall below
  // it.
  virtual bool KeepsReleasedMinimum() const = 0;
  // KAI: preemptibility, preemption delay and staleness grace period are set on PodGroups.
  virtual bool SetsOptionalPodGroupFields() const = 0;
  // KAI: a set without a queue gets the profile's default queue; otherwise it is rejected.
  virtual bool HasDefaultQueue() const = 0;
  // KAI: a binding's schedulerTopologyBindings name the Topology to use; otherwise it is the one
  // with the binding's name.
  virtual bool FollowsTopologyReferences() const = 0;
  // Volcano: PodGroups carry the gang's labels; otherwise only the annotations that Volcano reads.
  virtual bool CopiesGangLabelsToVolcano() const = 0;
  // Volcano: releases without sub-groups are rejected.
  virtual bool RequiresVolcanoSubGroups() const = 0;
  // Volcano: the replicas of a scaling group share a sub-group policy; otherwise each role has its
  // own.
  virtual bool GroupsVolcanoRoles() const = 0;
  // Volcano: roles with a minimum of zero get no sub-group policy.
  virtual bool OmitsVolcanoRolesWithoutMinimum() const = 0;
  // Volcano: PodGroups state the resources of their minimum (minResources).
  virtual bool SetsVolcanoMinResources() const = 0;
  // Volcano: pods carry their task name, whether they are preemptable, and pod affinity for
  // constraints that Volcano cannot express.
  virtual bool MarksVolcanoTasks() const = 0;
  // Volcano: the queue is resolved per clique, and all cliques must agree.
  virtual bool ResolvesVolcanoQueueByClique() const = 0;
  // Volcano: scheduling.volcano.sh/queue-name names a queue, in addition to Grove's annotation.
  virtual bool HonorsVolcanoQueueName() const = 0;
  // Default scheduler: gangs become Workloads unless the profile says otherwise.
  virtual bool SchedulesGangsByDefault() const = 0;
  // Default scheduler: reports on the gang when its pods are scheduled one by one.
  virtual bool ReportsPlainScheduling() const = 0;

  // --- Pods.

  // The scheduling gate for new pods of a gang; `own` is the backend's gate.
  virtual std::string SchedulingGate(std::string own) const = 0;
  // If true, a pod is released when its gang is initialized and synced to its scheduler. Otherwise
  // as soon as its gang references it.
  virtual bool ReleaseNeedsSyncedGang() const = 0;
  // If true, a base gang counts as scheduled when its cliques are. Otherwise its condition decides.
  virtual bool BaseGangIsScheduledByCliques() const = 0;
  // Pods beyond the minimum may wait for their gang, and are then pinned to its topology domain.
  virtual bool HoldsSurplusPods() const = 0;
  // Pods get Kueue's labels, the gang's priority class, and a preference for their previous nodes.
  virtual bool AddsGangSettingsToPods() const = 0;
  // Copies labels and annotations that others put on a PodClique to its pods.
  virtual bool CopiesForeignMetadataToPods() const = 0;
  // Pods keep the scheduling gates of their pod template.
  virtual bool KeepsTemplateGates() const = 0;
  // If true, the init container runs a subcommand of our image. Otherwise it has its own image.
  virtual bool InitContainerIsSubcommand() const = 0;
  // Which of several equal pods a PodClique deletes first when it scales down.
  virtual DeletionTieBreak DeletesEqualPods() const = 0;

  // --- Sets, cliques and scaling groups.

  // Keeps labels and annotations that others put on generated objects.
  virtual bool KeepsForeignMetadata() const = 0;
  // ResourceClaims carry a label with the set's KAI queue.
  virtual bool LabelsClaimsWithQueue() const = 0;
  // Starts the first pods of a new set before writing the rest of it.
  virtual bool DefersRestOfNewSets() const = 0;
  // Conditions of ours: ReplicaFailure, with an event, and Ready on sets.
  virtual bool ReportsReplicaFailure() const = 0;
  // Conditions distinguish replicas that were lost from replicas that never existed.
  virtual bool ReportsLostReplicas() const = 0;
  // Terminating pods still count as ready and scheduled.
  virtual bool CountsTerminatingPods() const = 0;
  // A scaling group's update waits until the replicas it deleted exist again.
  virtual bool WaitsForRecreatedReplicas() const = 0;
};

}  // namespace coppice::backends
