#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// The queue tree with quota, limit, allocated and requested amounts:
//   [{"name", "parent", "depth", "priority", "gpu": {"quota", "limit", "weight", "allocated",
//     "requested"}, "cpu": {…}, "memory": {…}}]
// Parents come before their children; a queue whose parent is missing is at the top level.
base::Result<json::Value> ReadQueues(kube::Client& client);

std::string FormatQueues(const json::Value& queues);

}  // namespace coppice::cli
