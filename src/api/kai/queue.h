#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "json/value.h"

namespace coppice::api::kai {

// What a queue may use of one resource. GPUs in devices, CPU in millicores, memory in 10^6 bytes;
// -1 is unlimited.
struct QueueResource {
  std::optional<double> quota;
  std::optional<double> limit;
  std::optional<double> overQuotaWeight;
};
BOOST_DESCRIBE_STRUCT(QueueResource, (), (quota, limit, overQuotaWeight))

struct QueueResources {
  std::optional<QueueResource> gpu;
  std::optional<QueueResource> cpu;
  std::optional<QueueResource> memory;
};
BOOST_DESCRIBE_STRUCT(QueueResources, (), (gpu, cpu, memory))

struct QueueSpec {
  std::string displayName;
  std::string parentQueue;
  std::optional<QueueResources> resources;
  json::Value priority;  // view: int64 (an integer without a format)
  std::string preemptMinRuntime;
  std::string reclaimMinRuntime;
};
BOOST_DESCRIBE_STRUCT(QueueSpec, (),
                      (displayName, parentQueue, resources, priority, preemptMinRuntime,
                       reclaimMinRuntime))

struct QueueCondition {
  std::string type;
  std::string status;
  std::string lastProbeTime;
  std::string lastTransitionTime;
  std::string reason;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(QueueCondition, (),
                      (type, status, lastProbeTime, lastTransitionTime, reason, message))

struct QueueStatus {
  std::vector<QueueCondition> conditions;
  std::vector<std::string> childQueues;
  std::map<std::string, base::Quantity> allocated;
  std::map<std::string, base::Quantity> allocatedNonPreemptible;
  std::map<std::string, base::Quantity> requested;
};
BOOST_DESCRIBE_STRUCT(QueueStatus, (),
                      (conditions, childQueues, allocated, allocatedNonPreemptible, requested))

}  // namespace coppice::api::kai
