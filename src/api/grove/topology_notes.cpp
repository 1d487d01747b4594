#include "api/grove/crd_notes.h"

namespace coppice::api::grove {

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
      .Required({"schedulerName", "topologyReference"})
      .Field("schedulerName", "The scheduler.")
      .Field("topologyReference", "Name of its topology object.");
}

StructNotes Notes(const ClusterTopologyBindingSpec*) {
  return StructNotes("The levels of the cluster's network, and who describes them to schedulers.")
      .Required({"levels"})
      .Field("levels", "From the broadest to the narrowest.", {MinItems(1)})
      .Field("schedulerTopologyBindings",
             "Schedulers that are not listed get a topology object made from the levels.");
}

StructNotes Notes(const SchedulerTopologyStatus*) {
  return StructNotes("Whether one scheduler knows these levels.")
      .Required({"inSync", "schedulerName", "topologyReference"})
      .Field("schedulerName", "The scheduler.")
      .Field("topologyReference", "Name of its topology object.")
      .Field("inSync", "Whether that object has the same levels.")
      .Field("schedulerBackendTopologyObservedGeneration", "The generation of that object.")
      .Field("message", "How they differ.");
}

StructNotes Notes(const ClusterTopologyBindingStatus*) {
  return StructNotes("Whether schedulers know these levels.")
      .Field("observedGeneration", "The generation of the spec that the status reflects.")
      .Field("conditions", "Aspects of the object's state, by type.")
      .Field("schedulerTopologyStatuses", "The schedulers, one by one.");
}

}  // namespace coppice::api::grove
