#include "api/kai/crds.h"
#include "api/kai/queue.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {

StructNotes Notes(const QueueResource*) {
  return StructNotes("A share of one resource; -1 means unlimited.")
      .Field("quota", "What the queue is entitled to.")
      .Field("limit", "What it may use at most.")
      .Field("overQuotaWeight", "Its part of what others leave unused.");
}

StructNotes Notes(const QueueSpec*) {
  return StructNotes("Where the queue stands in the tree and what it may use.")
      .Field("parentQueue", "The queue above; empty at the top.")
      .Field("priority", "Queues of higher priority are served first; 100 when unset.",
             {Type("integer")})
      .Field("preemptMinRuntime", "How long a workload runs before it may be preempted.")
      .Field("reclaimMinRuntime", "How long a workload runs before it may be reclaimed.");
}

StructNotes Notes(const QueueCondition*) {
  return StructNotes()
      .Required({"type", "status"})
      .Field("lastProbeTime", "", {DateTime()})
      .Field("lastTransitionTime", "", {DateTime()});
}

StructNotes Notes(const QueueStatus*) {
  return StructNotes("What the queue's workloads hold and ask for.")
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
