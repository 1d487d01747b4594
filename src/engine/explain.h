#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/result.h"

namespace coppice::engine {

enum class Verdict {
  kPlaceable,  // The next cycle places it.
  kNotNow,     // The cluster could hold it, but not with what runs now or within the quotas.
  kNever,      // No arrangement of this cluster's nodes can hold it.
};

// The one record behind events, conditions, `why` and the page.
struct Explanation {
  GroupKey group;
  Verdict verdict = Verdict::kNotNow;
  // The dominant reason: "Resources", "Quota", "Limit", "Topology", "Affinity", "Fragmentation",
  // "NotReady", "QueueDoesNotExist", "UnknownSubGroup", "PodTooLarge", "Scheduled".
  std::string reason;
  std::string message;
  // Node histogram: short reason to number of nodes.
  std::map<std::string, int> nodes;
  // Numbers behind the reason: "requestedGpus", "freeGpus", "largestFreeNode", "quota", …
  std::map<std::string, double> evidence;
  // The smallest change found that lets the group run: what to raise, where, by how much.
  struct Change {
    std::string kind;   // "addGpusToNode", "addNodes", "raiseQuota", "raiseLimit", "freeGpus".
    std::string where;  // Node, domain or queue.
    double amount = 0;
  };
  std::vector<Change> changes;
};

}  // namespace coppice::engine
