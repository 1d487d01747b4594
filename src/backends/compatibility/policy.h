#pragma once

#include <string>
#include <string_view>

namespace coppice::backends {

// Which pod goes first when several are equal and were created within the same second.
enum class DeletionTieBreak {
  kHighestIndexFirst,
  // The order in which Grove's operator creates pods: in batches of 1, 2, 4, …
  kCreationBatches,
};

// Every decision in which Grove's operator and ours differ. The configuration chooses one of the
// two implementations (`compatibility: grove`); the logic asks for the decision and never for the
// product. Each has its file: coppice_policy.cpp, grove_policy.cpp.
//
// Stateless and immutable: any thread may ask, and a policy lives as long as the process. A new
// difference is a new method here, documented by what it decides.
//
//   if (input.policy->RequiresOnePriorityClass()) COPPICE_TRY(CheckPriority(input));
class CompatibilityPolicy {
 public:
  // What the product does by itself.
  static const CompatibilityPolicy& Coppice();
  // What Grove's operator does, for those who replace it in place.
  static const CompatibilityPolicy& Grove();

  virtual ~CompatibilityPolicy() = default;

  // --- Which scheduler a set gets.

  // Profiles with unknown or mistyped options are refused.
  virtual bool ChecksProfileOptions() const = 0;
  // A schedulerName must be a profile's name; otherwise what a backend matches counts too.
  virtual bool MatchesSchedulersByProfileOnly() const = 0;
  // Cliques without a schedulerName count as if they named the default profile; otherwise as if
  // they named the scheduler that this profile stands for.
  virtual bool UnnamedSchedulerIsProfileName() const = 0;
  // Annotation grove.io/scheduler-backend on a set chooses its backend.
  virtual bool HonorsBackendAnnotation() const = 0;
  // The gangs of a set whose scheduler is not enabled are written, with a condition that says why
  // nothing more happens; otherwise an event on the set says it.
  virtual bool WritesGangsOfDisabledSchedulers() const = 0;

  // --- What admission refuses, and how it says so.

  // Durations that Go cannot parse fail, before any default is set.
  virtual bool RequiresGoDurations() const = 0;
  // What a backend refuses names the field in question; otherwise the whole spec is shown.
  virtual bool RefusalsNameTheirField() const = 0;
  // Messages end with what the user can do about it.
  virtual bool SuggestsRemedies() const = 0;
  // Sets whose gangs the backend cannot translate are refused.
  virtual bool ValidatesTranslation() const = 0;
  // Sets are refused whose pods, or names of generated objects, the API server would refuse.
  virtual bool ValidatesGeneratedObjects() const = 0;
  // A set may not change its scheduler while its gangs could not follow.
  virtual bool ValidatesSchedulerChange() const = 0;
  // Topology constraints are refused for lpx and Volcano; otherwise they are translated or
  // approximated.
  virtual bool RefusesUnsupportedTopology() const = 0;
  // The field of a ClusterTopologyBinding that refusals name.
  virtual std::string_view TopologyBindingsField() const = 0;

  // --- What the operator may use of the cluster.

  // CustomResourceDefinitions are watched, and capabilities discovered again when they change.
  virtual bool WatchesDefinitions() const = 0;
  // Only resources that Grove's operator uses are read: its ClusterRole may be all there is.
  virtual bool StaysWithinGroveRole() const = 0;
  // Whether we write a binding's topology for this backend, which has topology objects of its own
  // if `keeps_topology`.
  virtual bool ManagesTopology(std::string_view backend, bool keeps_topology) const = 0;

  // --- PodGangs.

  // Label grove.io/scheduler-backend is on PodGangs.
  virtual bool LabelsGangsWithBackend() const = 0;
  // Labels with the set's replica and the base gang are on PodGangs.
  virtual bool LabelsGangsWithReplica() const = 0;
  // Annotations that the scheduler's backend wants are on PodGangs.
  virtual bool AnnotatesGangsForBackend() const = 0;
  // kubectl's last-applied-configuration is copied from the set to its PodGangs.
  virtual bool CopiesLastAppliedToGangs() const = 0;
  // A PodGang is written once, when all its pods exist; otherwise as they come.
  virtual bool WaitsForPodsOfGang() const = 0;
  // Backends write status and conditions of PodGangs; otherwise the operator sets Initialized, and
  // problems are events on the gang.
  virtual bool BackendsWriteGangStatus() const = 0;
  // Pods that an update recreates ask for the places of those they replace.
  virtual bool ReusesPlacesInUpdates() const = 0;
  // All pods must have the gang's priority class, if it has one.
  virtual bool RequiresOnePriorityClass() const = 0;
  // A topology key must be a level of the gang's topology and a label of some node.
  virtual bool ResolvesTopologyKeys() const = 0;
  // Constraints that an outer scope implies are dropped.
  virtual bool DropsRedundantTopology() const = 0;

  // --- Objects of schedulers.

  // Generated objects carry labels and annotations by which we find and compare them.
  virtual bool TracksGeneratedObjects() const = 0;
  // KAI: PodGroups are called pg-<gang>-<uid>; otherwise like their gang.
  virtual bool PodGroupNamesHaveUid() const = 0;
  // KAI: names of sub-groups are shortened to labels' limits.
  virtual bool ShortensSubGroupNames() const = 0;
  // KAI: a minimum stays after the gang's release if KAI can be told not to evict for it.
  virtual bool KeepsReleasedMinimum() const = 0;
  // KAI: preemptibility, preemption delay and staleness are passed on to PodGroups.
  virtual bool SetsOptionalPodGroupFields() const = 0;
  // KAI: a set without a queue gets the profile's default; otherwise it is refused.
  virtual bool HasDefaultQueue() const = 0;
  // KAI: a binding's schedulerTopologyBindings say which Topology is meant; otherwise the one with
  // the binding's name.
  virtual bool FollowsTopologyReferences() const = 0;
  // Volcano: PodGroups carry the gang's labels; otherwise those annotations that Volcano reads.
  virtual bool CopiesGangLabelsToVolcano() const = 0;
  // Volcano: releases without sub-groups are refused.
  virtual bool RequiresVolcanoSubGroups() const = 0;
  // Volcano: the replicas of a scaling group share a sub-group policy; otherwise each role has its
  // own.
  virtual bool GroupsVolcanoRoles() const = 0;
  // Volcano: roles without a minimum get no sub-group policy.
  virtual bool OmitsVolcanoRolesWithoutMinimum() const = 0;
  // Volcano: PodGroups say what their minimum requests (minResources).
  virtual bool SetsVolcanoMinResources() const = 0;
  // Volcano: pods carry their task, whether they are preemptable, and affinities for constraints
  // that Volcano cannot express.
  virtual bool MarksVolcanoTasks() const = 0;
  // Volcano: the queue is decided clique by clique, and all must agree.
  virtual bool ResolvesVolcanoQueueByClique() const = 0;
  // Volcano: scheduling.volcano.sh/queue-name names a queue, besides Grove's annotation.
  virtual bool HonorsVolcanoQueueName() const = 0;
  // Default scheduler: gangs become Workloads unless the profile says otherwise.
  virtual bool SchedulesGangsByDefault() const = 0;
  // Default scheduler: that pods are scheduled one by one is reported on their gang.
  virtual bool ReportsPlainScheduling() const = 0;

  // --- Pods.

  // The gate that new pods of a gang get, where the backend's is `own`.
  virtual std::string SchedulingGate(std::string own) const = 0;
  // A pod is released when its gang is initialized and known to its scheduler; otherwise as soon
  // as its gang refers to it.
  virtual bool ReleaseNeedsSyncedGang() const = 0;
  // A base gang counts as scheduled when its cliques are; otherwise when its condition says so.
  virtual bool BaseGangIsScheduledByCliques() const = 0;
  // Pods beyond the minimum may wait for their gang, and are pinned to its domain.
  virtual bool HoldsSurplusPods() const = 0;
  // Pods get Kueue's labels, the gang's priority class, and a preference for their former nodes.
  virtual bool AddsGangSettingsToPods() const = 0;
  // Labels and annotations that others put on a PodClique are copied to its pods.
  virtual bool CopiesForeignMetadataToPods() const = 0;
  // Scheduling gates of the pod template stay on pods.
  virtual bool KeepsTemplateGates() const = 0;
  // The init container runs a subcommand of our image; otherwise an image of its own.
  virtual bool InitContainerIsSubcommand() const = 0;
  // The order in which a PodClique that shrinks deletes equal pods.
  virtual DeletionTieBreak DeletesEqualPods() const = 0;

  // --- Sets, cliques and scaling groups.

  // Labels and annotations that others put on generated objects stay there.
  virtual bool KeepsForeignMetadata() const = 0;
  // ResourceClaims carry the label with the set's KAI queue.
  virtual bool LabelsClaimsWithQueue() const = 0;
  // A new set's first pods are started before the rest of it is written.
  virtual bool DefersRestOfNewSets() const = 0;
  // Condition ReplicaFailure and an event say why pods cannot be created.
  virtual bool ReportsReplicaFailure() const = 0;
  // Conditions distinguish replicas that were lost from those never there.
  virtual bool ReportsLostReplicas() const = 0;
  // Ready and scheduled pods count while they terminate.
  virtual bool CountsTerminatingPods() const = 0;
  // A scaling group's update waits until replicas that it deleted are there again.
  virtual bool WaitsForRecreatedReplicas() const = 0;
};

}  // namespace coppice::backends
