#include "api/grove/crd_notes.h"
#include "api/kai/crds.h"
#include "api/kai/scheduling_shard.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {

StructNotes Notes(const ShardAction*) {
  return StructNotes("Settings of an action.")
      .Field("enabled", "Whether it runs.")
      .Field("priority", "Actions of higher priority run first.", {Type("integer")});
}

StructNotes Notes(const ShardPlugin*) {
  return StructNotes("Settings of a plugin.")
      .Field("enabled", "Whether it is used.")
      .Field("priority", "Plugins of higher priority are asked first.", {Type("integer")})
      .Field("arguments", "The plugin's own settings; they replace its defaults as a whole.");
}

StructNotes Notes(const ShardMinRuntime*) {
  return StructNotes("How long workloads are left alone, where their queue does not say.")
      .Field("preemptMinRuntime", "Before a workload may be preempted, as a duration. Default: 0s.")
      .Field("reclaimMinRuntime",
             "Before a workload may be reclaimed, as a duration. Default: 0s.");
}

StructNotes Notes(const ShardPlacement*) {
  return StructNotes("How nodes are filled.")
      .Field("gpu", "For pods with GPUs: binpack, spread or leastfragmentation. Default: binpack.")
      .Field("cpu", "For other pods: binpack or spread. Default: binpack.");
}

StructNotes Notes(const ShardSearchBudgets*) {
  return StructNotes("How long searches for victims may take; 0 is without limit.")
      .Field("maxActionSearchDuration", "By action, as durations. Default: 5m each.")
      .Field("maxGeneratorSearchDuration",
             "By generator, as durations. Default: 30s for NodeLocalGreedy, 2m for MultiNodeGang.")
      .Field("maxJobSearchDuration", "For one workload, as a duration. Default: 4m.")
      .Field("minJobSearchDuration",
             "For one workload even if the action has used up its budget, as a duration.");
}

StructNotes Notes(const ShardUsageParams*) {
  return StructNotes("Which past usage counts, and how it is read.")
      .Field("halfLifePeriod",
             "After how long usage counts half, as a duration. Default: usage does not fade.")
      .Field("windowType", "sliding, tumbling or cron. Default: sliding.")
      .Field("cronString", "For cron windows: when they begin.")
      .Field("fetchInterval", "How often usage is read, as a duration. Default: 1m.")
      .Field("stalenessPeriod",
             "For how long usage is used after reading it fails, as a duration. Default: 5m.")
      .Field("waitTimeout", "How long the first read may take, as a duration. Default: 1m.")
      .Field("extraParams", "Settings of the client, by name.")
      .Field("tumblingWindowStartTime", "For tumbling windows: when the first begins.",
             {DateTime()})
      .Field("windowSize", "Length of a window, as a duration. Default: 1w.",
             {Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?"
                      "(([0-9]+)ms)?)$")});
}

StructNotes Notes(const ShardUsageDb*) {
  return StructNotes("Where past usage comes from.")
      .Required({"clientType"})
      .Field("clientType", "prometheus, or embedded: the scheduler records usage itself.")
      .Field("connectionString", "URL of Prometheus.")
      .Field("connectionStringEnvVar", "Environment variable with that URL.")
      .Field("usageParams", "Which past usage counts.");
}

StructNotes Notes(const SchedulingShardSpec*) {
  return StructNotes("One scheduler and the nodes, queues and groups that are its own.")
      .Field("partitionLabelValue", "The node-pool label's value; empty: objects without it.")
      .Field("placementStrategy", "How nodes are filled.")
      .Field("actions", "Settings of actions, by name.")
      .Field("plugins", "Settings of plugins, by name.")
      .Field("args", "Flags of the scheduler, without the dashes.")
      .Field("queueDepthPerAction",
             "How many workloads of a queue an action looks at, by action. Default: all.",
             {Values({Type("integer")})})
      .Field("minRuntime", "How long workloads are left alone.")
      .Field("kValue", "How much past use counts in fair share. Default: 1.")
      .Field("usageDBConfig", "Where past usage comes from; without it, it does not count.")
      .Field("scenarioSearchBudgets", "How long searches for victims may take.")
      .Field("goMemLimit", "Set as GOMEMLIMIT, for KAI's scheduler; ours ignores it.")
      .Field("goMemLimitRatio",
             "Set for KAI's scheduler, as a part of its memory limit; ours ignores it.",
             {Minimum(0), Maximum(1), SchemaPart{"exclusiveMinimum", true}});
}

StructNotes Notes(const ConditionsStatus*) {
  return StructNotes("How far the platform operator is.")
      .Field("conditions", "Aspects of the object's state, by type.");
}

json::Value SchedulingShardCrd() {
  return Crd(kSchedulingShards)
      .Version<SchedulingShardSpec, ConditionsStatus>("v1", {.about = "A part of the cluster."})
      .ToJson();
}

}  // namespace coppice::api::kai
