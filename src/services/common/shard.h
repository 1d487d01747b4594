#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"

// The settings of a SchedulingShard, with KAI's defaults (docs/behaviour/platform.md K-84), without
// I/O.
namespace coppice::services::platform {

struct ShardPlugin {
  bool enabled = true;
  int priority = 0;
  std::map<std::string, std::string> arguments;
};

struct Shard {
  std::string name;
  std::string partition_label_value;
  std::map<std::string, ShardPlugin> plugins;
  std::map<std::string, ShardPlugin> actions;  // Without arguments.
  std::map<std::string, std::string> args;     // Extra flags.
  double go_mem_limit_ratio = 0.9;
  std::string go_mem_limit;  // A quantity; empty: none.
  json::Value queue_depth_per_action;
  json::Value usage_db;
  json::Value search_budgets;
};

// Errors name the field.
base::Result<Shard> ReadShard(const json::Value& object);

// The scheduler's configuration file of the shard: actions and plugins by priority, highest first,
// then by name.
json::Value SchedulerConfiguration(const Shard& shard);

// Names of the enabled entries in that order.
std::vector<std::string> ByPriority(const std::map<std::string, ShardPlugin>& entries);

}  // namespace coppice::services::platform
