#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/resource.h"
#include "page/facts/node_facts.h"
#include "page/facts/owner_facts.h"
#include "page/facts/pod_facts.h"
#include "page/facts/queue_facts.h"

namespace coppice::page {

// A cluster as far as the page shows it: a few facts of each object, so that building the page's
// model reads no documents.
struct Facts {
  using Owners = std::unordered_map<api::ObjectKey, OwnerFacts, api::ObjectKeyHash>;

  std::unordered_map<api::ObjectKey, PodFacts, api::ObjectKeyHash> pods;
  std::map<std::string, NodeFacts> nodes;
  std::map<std::string, QueueFacts> queues;
  Owners sets, gangs, groups, jobs, kueue_workloads;
  std::map<api::ObjectKey, std::string> local_queues;          // To their ClusterQueue.
  std::map<std::string, std::vector<std::string>> topologies;  // To their levels.
};

}  // namespace coppice::page
