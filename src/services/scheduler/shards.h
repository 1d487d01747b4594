#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kube/process/manager.h"
#include "services/scheduler/options/options.h"

namespace coppice::services::scheduler {

// The SchedulingShards of a cluster.
struct Shards {
  std::vector<Options> schedulers;           // One per shard; the default one if there is no shard.
  std::map<std::string, json::Value> specs;  // As they were read.
  struct Refused {
    json::Value shard;
    base::Error error;
  };
  std::vector<Refused>
      refused;  // Invalid shards: they get no scheduler; the others are not affected.
};

// Each scheduler has these options, overridden by its shard.
base::Result<Shards> ReadShards(kube::Client& client, const Options& options);

// Emits events on invalid shards, and calls `changed` once the shards differ from what was read.
base::Status WatchShards(kube::Manager& manager, Shards read, std::function<void()> changed);

// Adds a scheduler, with its plugin server if the options set a port.
base::Status AddWithPluginServer(kube::Manager& manager, Options options);

}  // namespace coppice::services::scheduler
