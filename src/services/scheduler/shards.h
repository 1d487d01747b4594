#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kube/process/manager.h"
#include "services/scheduler/options/options.h"

namespace coppice::services::scheduler {

// What the SchedulingShards of a cluster say.
struct Shards {
  std::vector<Options> schedulers;           // One per shard; the plain one where there is none.
  std::map<std::string, json::Value> specs;  // As they were read.
  struct Refused {
    json::Value shard;
    base::Error error;
  };
  std::vector<Refused> refused;  // They get no scheduler, and keep nobody else from theirs.
};

// Each scheduler has what its shard says over these options.
base::Result<Shards> ReadShards(kube::Client& client, const Options& options);

// Says on the shards concerned what is wrong with them, and calls `changed` once they are no longer
// as they were read.
base::Status WatchShards(kube::Manager& manager, Shards read, std::function<void()> changed);

// Adds a scheduler, with its plugin server where the options give that a port.
base::Status AddWithPluginServer(kube::Manager& manager, Options options);

}  // namespace coppice::services::scheduler
