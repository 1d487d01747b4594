#include "api/grove/crd_notes.h"

namespace coppice::api::grove {

StructNotes Notes(const PodsSelectedToUpdate*) { return StructNotes().Required({"current"}); }

StructNotes Notes(const PodCliqueUpdateProgress*) {
  return StructNotes("An update of the clique's pods.")
      .Required({"podCliqueSetGenerationHash", "podTemplateHash"})
      .Field("updateStartedAt", "", {DateTime()})
      .Field("updateEndedAt", "", {DateTime()});
}

StructNotes Notes(const PodCliqueStatus*) {
  return StructNotes()
      .Required({"readyReplicas", "scheduleGatedReplicas", "scheduledReplicas", "updatedReplicas"})
      .Field("replicas", "Pods that are not being deleted.")
      .Field("readyReplicas", "", {Default(0)})
      .Field("updatedReplicas", "Pods of the present template.", {Default(0)})
      .Field("scheduleGatedReplicas", "Pods that no scheduler may touch yet.", {Default(0)})
      .Field("scheduledReplicas", "", {Default(0)});
}

StructNotes Notes(const ReplicaUpdate*) {
  return StructNotes()
      .Required({"replicaIndex"})
      .Field("updateStartedAt", "", {DateTime()})
      .Field("updateEndedAt", "", {DateTime()});
}

StructNotes Notes(const PodCliqueSetUpdateProgress*) {
  return StructNotes("An update of the set's pods.")
      .Field("updateStartedAt", "", {DateTime()})
      .Field("updateEndedAt", "", {DateTime()})
      .Field("updatedPodCliquesCount", "", {Default(0)})
      .Field("totalPodCliquesCount", "Standalone cliques.", {Default(0)})
      .Field("updatedPodCliqueScalingGroupsCount", "", {Default(0)})
      .Field("totalPodCliqueScalingGroupsCount", "", {Default(0)});
}

StructNotes Notes(const PodGangSummary*) {
  return StructNotes()
      .Required({"name", "phase"})
      .Field("phase", "", {Enum({"Pending", "Starting", "Running", "Failed", "Succeeded"})});
}

StructNotes Notes(const PodCliqueSetStatus*) {
  return StructNotes()
      .Required({"availableReplicas", "updatedReplicas"})
      .Field("availableReplicas", "Replicas whose every minimum is ready.", {Default(0)})
      .Field("updatedReplicas", "Available replicas that run the present template.", {Default(0)});
}

StructNotes Notes(const ReplicasSelectedToUpdate*) { return StructNotes().Required({"current"}); }

StructNotes Notes(const ScalingGroupUpdateProgress*) {
  return StructNotes("An update of the group's replicas.")
      .Required({"podCliqueSetGenerationHash", "updateStartedAt"})
      .Field("updateStartedAt", "", {DateTime()})
      .Field("updateEndedAt", "", {DateTime()})
      .Field("updatedPodCliquesCount", "", {Default(0)})
      .Field("totalPodCliquesCount", "", {Default(0)});
}

StructNotes Notes(const ScalingGroupStatus*) {
  return StructNotes()
      .Required({"availableReplicas", "scheduledReplicas", "updatedReplicas"})
      .Field("scheduledReplicas", "", {Default(0)})
      .Field("availableReplicas", "", {Default(0)})
      .Field("updatedReplicas", "", {Default(0)});
}

StructNotes Notes(const TopologyLevel*) {
  return StructNotes("One level of the topology.")
      .Required({"domain", "key"})
      .Field("domain", "How users call it: zone, rack, host.",
             {MaxLength(63), MinLength(1), Pattern("^[a-z][a-z0-9-]*$")})
      .Field("key", "The node label that tells a node's domain.",
             {MaxLength(63), MinLength(1),
              Pattern("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]/)?"
                      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$")});
}

StructNotes Notes(const SchedulerTopologyBinding*) {
  return StructNotes("A scheduler's own topology object, managed by somebody else.")
      .Required({"schedulerName", "topologyReference"});
}

StructNotes Notes(const ClusterTopologyBindingSpec*) {
  return StructNotes()
      .Required({"levels"})
      .Field("levels", "From the broadest to the narrowest.", {MinItems(1)})
      .Field("schedulerTopologyBindings",
             "Schedulers that are not listed get a topology object made from the levels.");
}

StructNotes Notes(const SchedulerTopologyStatus*) {
  return StructNotes().Required({"inSync", "schedulerName", "topologyReference"});
}

StructNotes Notes(const PodGroup*) {
  return StructNotes("The pods of one PodClique.")
      .Required({"minReplicas", "name", "podReferences"})
      .Field("minReplicas", "How many are scheduled together or not at all.");
}

StructNotes Notes(const TopologyConstraintGroupConfig*) {
  return StructNotes("Pod groups that share a constraint of their own.")
      .Required({"name", "podGroupNames"});
}

StructNotes Notes(const PodGangSpec*) { return StructNotes().Required({"podgroups"}); }

StructNotes Notes(const PodGangStatus*) { return StructNotes().Required({"phase"}); }

}  // namespace coppice::api::grove
