#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/answers/what_if.h"
#include "json/value.h"
#include "services/scheduler/read/cluster.h"

namespace coppice::services::scheduler {

// A what-if question in the user's terms.
struct WhatIfRequest {
  std::vector<json::Value> submit;  // PodGroups and their pods.
  std::vector<std::string> cordon, drain;
  std::vector<std::string> fail;  // Label selectors of nodes, such as "rack=r1"; see SelectNodes.
  int64_t add_nodes = 0;
  std::string like;                 // The node that new ones are copies of.
  std::vector<std::string> quotas;  // "team-a=gpu:16,cpu:8,memory:64Gi".

  bool empty() const {
    return submit.empty() && cordon.empty() && drain.empty() && fail.empty() && add_nodes == 0 &&
           quotas.empty();
  }
};

// In the engine's terms. Errors name what is wrong with which part.
base::Result<engine::WhatIf> ReadWhatIf(const WhatIfRequest& request, const engine::Ledger& objects,
                                        const PriorityClasses& priorities,
                                        std::string_view node_pool_key);

// The groups among `objects`, each with its pods; pods without a group are an error.
base::Result<std::vector<engine::Engine::Question>> ReadSubmitted(
    const std::vector<json::Value>& objects, const PriorityClasses& priorities,
    std::string_view node_pool_key);

// The names of the nodes that a label selector matches. A key without a domain also stands for
// labels of that name in any domain, if no node has the key itself: "rack=r1" for
// "example.com/rack=r1".
base::Result<std::vector<std::string>> SelectNodes(const engine::Ledger& objects,
                                                   const std::string& selector);

// The queue with another quota: "team-a=gpu:16". GPUs, and Kubernetes quantities of cpu and memory;
// "unlimited" sets none.
base::Result<engine::QueueSpec> ReadQuotaChange(const engine::Ledger& objects,
                                                const std::string& text);

}  // namespace coppice::services::scheduler
