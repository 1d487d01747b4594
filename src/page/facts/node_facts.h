#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "page/facts/amounts.h"

namespace coppice::page {

// What the page keeps of a node.
struct NodeFacts {
  Amounts has;
  double max_pods = 0;
  double gpu_memory_mib = 0;  // Of each GPU; 0 if unknown.
  bool cordoned = false;
  bool ready = false;
  std::vector<std::string> taints;  // Those that keep pods away: "dedicated=ml:NoSchedule".
  json::Value labels;               // For the topology.

  friend bool operator==(const NodeFacts&, const NodeFacts&) = default;
};

NodeFacts ReadNodeFacts(const json::Value& node);

}  // namespace coppice::page
