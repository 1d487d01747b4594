#include "api/grove/crd_notes.h"
#include "api/kai/crds.h"
#include "api/kai/scheduling_shard.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {

StructNotes Notes(const ShardAction*) {
  return StructNotes().Field("priority", "", {Type("integer")});
}

StructNotes Notes(const ShardPlugin*) {
  return StructNotes().Field("priority", "", {Type("integer")});
}

StructNotes Notes(const ShardUsageParams*) {
  return StructNotes()
      .Field("tumblingWindowStartTime", "", {DateTime()})
      .Field("windowSize", "",
             {Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?"
                      "(([0-9]+)ms)?)$")});
}

StructNotes Notes(const ShardUsageDb*) { return StructNotes().Required({"clientType"}); }

StructNotes Notes(const SchedulingShardSpec*) {
  return StructNotes("One scheduler and the nodes, queues and groups that are its own.")
      .Field("partitionLabelValue", "The node-pool label's value; empty: objects without it.")
      .Field("args", "Flags of the scheduler.")
      .Field("queueDepthPerAction", "How many jobs of a queue an action looks at.",
             {Values({Type("integer")})})
      .Field("kValue", "How much past use counts in fair share.")
      .Field("goMemLimitRatio", "", {Minimum(0), Maximum(1), SchemaPart{"exclusiveMinimum", true}});
}

json::Value SchedulingShardCrd() {
  return Crd(kSchedulingShards)
      .Version<SchedulingShardSpec, ConditionsStatus>("v1", {.about = "A part of the cluster."})
      .ToJson();
}

}  // namespace coppice::api::kai
