#include "api/grove/crd_notes.h"

namespace coppice::api::grove {
namespace {

constexpr std::string_view kUpdateStarted = "When the update started.";
constexpr std::string_view kUpdateEnded = "When the update ended; absent while it runs.";
constexpr std::string_view kSetHash = "Hash of the set's templates that the update rolls out.";
constexpr std::string_view kObserved = "The generation of the spec that the status reflects.";
constexpr std::string_view kErrors = "What failed in the last pass; empty when nothing did.";
constexpr std::string_view kConditions = "Aspects of the object's state, by type.";
constexpr std::string_view kSelector = "Label selector of the pods, for autoscalers.";

}  // namespace

StructNotes Notes(const PodsSelectedToUpdate*) {
  return StructNotes("Ready pods of an old template that are replaced one at a time.")
      .Required({"current"})
      .Field("current", "Name of the pod being replaced.")
      .Field("completed", "Names of the pods that were replaced.");
}

StructNotes Notes(const PodCliqueUpdateProgress*) {
  return StructNotes("An update of the clique's pods.")
      .Required({"podCliqueSetGenerationHash", "podTemplateHash"})
      .Field("updateStartedAt", kUpdateStarted, {DateTime()})
      .Field("updateEndedAt", kUpdateEnded, {DateTime()})
      .Field("podCliqueSetGenerationHash", kSetHash)
      .Field("podTemplateHash", "Hash of the clique's template that the update rolls out.")
      .Field("readyPodsSelectedToUpdate", "Ready pods that the update replaces.");
}

StructNotes Notes(const PodCliqueStatus*) {
  return StructNotes("How far the pods are.")
      .Required({"readyReplicas", "scheduleGatedReplicas", "scheduledReplicas", "updatedReplicas"})
      .Field("observedGeneration", kObserved)
      .Field("lastErrors", kErrors)
      .Field("conditions", kConditions)
      .Field("hpaPodSelector", kSelector)
      .Field("replicas", "Pods that are not being deleted.")
      .Field("readyReplicas", "Pods that are ready.", {Default(0)})
      .Field("updatedReplicas", "Pods of the present template.", {Default(0)})
      .Field("scheduleGatedReplicas", "Pods that no scheduler may touch yet.", {Default(0)})
      .Field("scheduledReplicas", "Pods that have a node.", {Default(0)})
      .Field("currentPodCliqueSetGenerationHash", "Hash of the set's templates that all pods have.")
      .Field("currentPodTemplateHash", "Hash of the clique's template that all pods have.")
      .Field("updateProgress", "The last update; absent before the first.");
}

StructNotes Notes(const ReplicaUpdate*) {
  return StructNotes("The update of one replica of the set.")
      .Required({"replicaIndex"})
      .Field("replicaIndex", "The replica, from 0.")
      .Field("updateStartedAt", kUpdateStarted, {DateTime()})
      .Field("updateEndedAt", kUpdateEnded, {DateTime()});
}

StructNotes Notes(const PodCliqueSetUpdateProgress*) {
  return StructNotes("An update of the set's pods.")
      .Field("updateStartedAt", kUpdateStarted, {DateTime()})
      .Field("updateEndedAt", kUpdateEnded, {DateTime()})
      .Field("updatedPodCliquesCount", "Standalone cliques that are done.", {Default(0)})
      .Field("totalPodCliquesCount", "Standalone cliques.", {Default(0)})
      .Field("updatedPodCliqueScalingGroupsCount", "Scaling groups that are done.", {Default(0)})
      .Field("totalPodCliqueScalingGroupsCount", "Scaling groups.", {Default(0)})
      .Field("currentlyUpdating", "The replicas being updated.");
}

StructNotes Notes(const PodGangSummary*) {
  return StructNotes("One gang of the set.")
      .Required({"name", "phase"})
      .Field("name", "The PodGang.")
      .Field("phase", "How far it is.",
             {Enum({"Pending", "Starting", "Running", "Failed", "Succeeded"})})
      .Field("conditions", "The conditions of the PodGang.");
}

StructNotes Notes(const PodCliqueSetStatus*) {
  return StructNotes("How far the set is.")
      .Required({"availableReplicas", "updatedReplicas"})
      .Field("observedGeneration", kObserved)
      .Field("conditions", kConditions)
      .Field("lastErrors", kErrors)
      .Field("hpaPodSelector", kSelector)
      .Field("replicas", "Replicas that exist.")
      .Field("availableReplicas", "Replicas whose every minimum is ready.", {Default(0)})
      .Field("updatedReplicas", "Available replicas that run the present template.", {Default(0)})
      .Field("podGangStatuses", "The gangs of the set.")
      .Field("currentGenerationHash", "Hash of the set's templates.")
      .Field("updateProgress", "The last update; absent before the first.");
}

StructNotes Notes(const ReplicasSelectedToUpdate*) {
  return StructNotes("Ready replicas of an old template that are replaced one at a time.")
      .Required({"current"})
      .Field("current", "Index of the replica being replaced.")
      .Field("completed", "Indices of the replicas that were replaced.");
}

StructNotes Notes(const ScalingGroupUpdateProgress*) {
  return StructNotes("An update of the group's replicas.")
      .Required({"podCliqueSetGenerationHash", "updateStartedAt"})
      .Field("updateStartedAt", kUpdateStarted, {DateTime()})
      .Field("updateEndedAt", kUpdateEnded, {DateTime()})
      .Field("podCliqueSetGenerationHash", kSetHash)
      .Field("updatedPodCliquesCount", "Cliques that are done.", {Default(0)})
      .Field("totalPodCliquesCount", "Cliques of all replicas.", {Default(0)})
      .Field("readyReplicaIndicesSelectedToUpdate", "Ready replicas that the update replaces.");
}

StructNotes Notes(const ScalingGroupStatus*) {
  return StructNotes("How far the group is.")
      .Required({"availableReplicas", "scheduledReplicas", "updatedReplicas"})
      .Field("observedGeneration", kObserved)
      .Field("conditions", kConditions)
      .Field("lastErrors", kErrors)
      .Field("selector", kSelector)
      .Field("replicas", "Replicas that exist.")
      .Field("scheduledReplicas", "Replicas whose every minimum has nodes.", {Default(0)})
      .Field("availableReplicas", "Replicas whose every minimum is ready.", {Default(0)})
      .Field("updatedReplicas", "Replicas that run the present template.", {Default(0)})
      .Field("currentPodCliqueSetGenerationHash",
             "Hash of the set's templates that all replicas have.")
      .Field("updateProgress", "The last update; absent before the first.");
}

}  // namespace coppice::api::grove
