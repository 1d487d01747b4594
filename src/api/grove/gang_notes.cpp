#include "api/grove/crd_notes.h"

namespace coppice::api::grove {

StructNotes Notes(const PackConstraint*) {
  return StructNotes("Node labels of which pods share a value.")
      .Field("required", "Key of a label of which they must share a value.")
      .Field("preferred", "Key of a label of which they should share a value.");
}

StructNotes Notes(const GangTopologyConstraint*) {
  return StructNotes("How close pods sit, in node labels.")
      .Field("packConstraint", "The labels of which pods share a value.");
}

StructNotes Notes(const PodGroup*) {
  return StructNotes("The pods of one PodClique.")
      .Required({"minReplicas", "name", "podReferences"})
      .Field("name", "The PodClique.")
      .Field("podReferences", "Its pods, sorted by name.")
      .Field("minReplicas", "How many are scheduled together or not at all.")
      .Field("topologyConstraint", "How close they sit.");
}

StructNotes Notes(const TopologyConstraintGroupConfig*) {
  return StructNotes("Pod groups that share a constraint of their own.")
      .Required({"name", "podGroupNames"})
      .Field("name", "The replica of a scaling group to which they belong.")
      .Field("podGroupNames", "The pod groups.")
      .Field("topologyConstraint", "How close their pods sit.");
}

StructNotes Notes(const PodGangSpec*) {
  return StructNotes("Pods that a scheduler places together or not at all.")
      .Required({"podgroups"})
      .Field("podgroups", "The pods, by PodClique.")
      .Field("topologyConstraint", "How close all pods of the gang sit.")
      .Field("topologyConstraintGroupConfigs", "How close pods of one scaling group replica sit.")
      .Field("priorityClassName", "Priority of the gang.")
      .Field("reuseReservationRef", "The gang whose nodes this one prefers.");
}

StructNotes Notes(const PodGangStatus*) {
  return StructNotes("How far the gang is.")
      .Required({"phase"})
      .Field("phase", "Pending, Starting, Running, Failed or Succeeded.")
      .Field("conditions", "Aspects of the object's state, by type.")
      .Field("placementScore", "How close the pods sit, from 0 to 1; 1 is as close as asked for.");
}

}  // namespace coppice::api::grove
