#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// The queue tree with quota, limit, what is allocated and what is asked for:
//   [{"name", "parent", "depth", "priority", "gpu": {"quota", "limit", "weight", "allocated",
//     "requested"}, "cpu": {…}, "memory": {…}}]
// Parents come before their children; a queue whose parent is missing stands at the top.
base::Result<json::Value> ReadQueues(kube::Client& client);

std::string FormatQueues(const json::Value& queues);

}  // namespace coppice::cli
