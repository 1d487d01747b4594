#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/grove/meta.h"
#include "base/quantity.h"
#include "json/value.h"

namespace coppice::api::kai {

struct ShardAction {
  std::optional<bool> enabled;
  json::Value priority;  // view: int64 (an integer without a format)
};
BOOST_DESCRIBE_STRUCT(ShardAction, (), (enabled, priority))

struct ShardPlugin {
  std::optional<bool> enabled;
  json::Value priority;  // view: int64
  std::map<std::string, std::string> arguments;
};
BOOST_DESCRIBE_STRUCT(ShardPlugin, (), (enabled, priority, arguments))

struct ShardMinRuntime {
  std::string preemptMinRuntime;
  std::string reclaimMinRuntime;
};
BOOST_DESCRIBE_STRUCT(ShardMinRuntime, (), (preemptMinRuntime, reclaimMinRuntime))

struct ShardPlacement {
  std::string gpu;
  std::string cpu;
};
BOOST_DESCRIBE_STRUCT(ShardPlacement, (), (gpu, cpu))

struct ShardSearchBudgets {
  std::map<std::string, std::string> maxActionSearchDuration;
  std::map<std::string, std::string> maxGeneratorSearchDuration;
  std::string maxJobSearchDuration;
  std::string minJobSearchDuration;
};
BOOST_DESCRIBE_STRUCT(ShardSearchBudgets, (),
                      (maxActionSearchDuration, maxGeneratorSearchDuration, maxJobSearchDuration,
                       minJobSearchDuration))

struct ShardUsageParams {
  std::string halfLifePeriod;
  std::string windowSize;
  std::string windowType;
  std::string tumblingWindowStartTime;
  std::string cronString;
  std::string fetchInterval;
  std::string stalenessPeriod;
  std::string waitTimeout;
  std::map<std::string, std::string> extraParams;
};
BOOST_DESCRIBE_STRUCT(ShardUsageParams, (),
                      (halfLifePeriod, windowSize, windowType, tumblingWindowStartTime, cronString,
                       fetchInterval, stalenessPeriod, waitTimeout, extraParams))

struct ShardUsageDb {
  std::string clientType;
  std::string connectionString;
  std::string connectionStringEnvVar;
  std::optional<ShardUsageParams> usageParams;
};
BOOST_DESCRIBE_STRUCT(ShardUsageDb, (),
                      (clientType, connectionString, connectionStringEnvVar, usageParams))

struct SchedulingShardSpec {
  std::string partitionLabelValue;
  std::optional<ShardPlacement> placementStrategy;
  std::map<std::string, ShardAction> actions;
  std::map<std::string, ShardPlugin> plugins;
  std::map<std::string, std::string> args;
  std::map<std::string, json::Value> queueDepthPerAction;
  std::optional<ShardMinRuntime> minRuntime;
  std::optional<double> kValue;
  std::optional<ShardUsageDb> usageDBConfig;
  std::optional<ShardSearchBudgets> scenarioSearchBudgets;
  std::optional<base::Quantity> goMemLimit;
  std::optional<double> goMemLimitRatio;
};
BOOST_DESCRIBE_STRUCT(SchedulingShardSpec, (),
                      (partitionLabelValue, placementStrategy, actions, plugins, args,
                       queueDepthPerAction, minRuntime, kValue, usageDBConfig,
                       scenarioSearchBudgets, goMemLimit, goMemLimitRatio))

// Standard conditions; shared with Config.
struct ConditionsStatus {
  std::vector<grove::Condition> conditions;
};
BOOST_DESCRIBE_STRUCT(ConditionsStatus, (), (conditions))

}  // namespace coppice::api::kai
