#include "api/kai/crds.h"
#include "api/kai/queue.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {

StructNotes Notes(const QueueResource*) {
  return StructNotes("A share of one resource; -1 means unlimited.")
      .Field("quota", "What the queue is entitled to. Default: 0.")
      .Field("limit", "What it may use at most; nothing if it is not set. Default: 0.")
      .Field(
          "overQuotaWeight",
          "Its part of what others leave unused, relative to its siblings' weights. Default: 0.");
}

StructNotes Notes(const QueueResources*) {
  return StructNotes("A share per resource.")
      .Field("gpu", "GPUs, in devices.")
      .Field("cpu", "CPU, in millicores.")
      .Field("memory", "Memory, in megabytes (10^6 bytes).");
}

StructNotes Notes(const QueueSpec*) {
  return StructNotes("The place of the queue in the tree, and what it may use.")
      .Field("displayName", "A name for people.")
      .Field("resources", "What it may use.")
      .Field("parentQueue", "The queue above; empty at the top.")
      .Field("priority", "Queues of higher priority are served first. Default: 100.",
             {Type("integer")})
      .Field("preemptMinRuntime",
             "How long a workload runs before it may be preempted, as a duration. Default: "
             "that of the queue above, else the shard's.")
      .Field("reclaimMinRuntime",
             "How long a workload runs before it may be reclaimed, as a duration. Default: "
             "that of the queue above, else the shard's.");
}

StructNotes Notes(const QueueCondition*) {
  return StructNotes("One aspect of the queue's state.")
      .Required({"type", "status"})
      .Field("type", "Which aspect, in CamelCase.")
      .Field("status", "Whether it holds: True, False or Unknown.")
      .Field("reason", "For programs, in CamelCase.")
      .Field("message", "For people.")
      .Field("lastProbeTime", "When it was last checked.", {DateTime()})
      .Field("lastTransitionTime", "When the status last changed.", {DateTime()});
}

StructNotes Notes(const QueueStatus*) {
  return StructNotes("What the queue's workloads hold and ask for.")
      .Field("conditions", "Aspects of the queue's state, by type.")
      .Field("allocated", "What pods of the queue and of those below hold.")
      .Field("allocatedNonPreemptible", "The part of it that cannot be preempted.")
      .Field("requested", "What pods of the queue and of those below ask for.")
      .Field("childQueues", "The queues directly below.");
}

json::Value QueueCrd() {
  return Crd(kQueues)
      .Version<QueueSpec, QueueStatus>(
          "v2",
          {.about = "A share of the cluster, in a tree of shares.",
           .columns = {{.name = "Priority", .type = "string", .path = ".spec.priority"},
                       {.name = "Parent", .type = "string", .path = ".spec.parentQueue"},
                       {.name = "Children", .type = "string", .path = ".status.childQueues"},
                       {.name = "DisplayName", .type = "string", .path = ".spec.displayName"}}})
      .ToJson();
}

}  // namespace coppice::api::kai
