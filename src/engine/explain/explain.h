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
  // "NotReady", "QueueDoesNotExist", "UnknownSubGroup", "Prerequisites" (a claim, a volume or a
  // ConfigMap is missing), "PodTooLarge", "Scheduled".
  std::string reason;
  std::string message;
  // Node histogram: short reason to number of nodes.
  std::map<std::string, int> nodes;
  // Numbers behind the reason: "requestedGpus", "freeGpus", "podsThatFit", "quota", …
  std::map<std::string, double> evidence;
  // Where a topology is required: the domain in which the change is to be made.
  std::string domain;
  // Where a topology is required and no domain can ever hold the group: the one that holds most of
  // it. Evidence has its "largestDomainGpus" and, where pods are alike, how many of those that must
  // run together it holds while nothing else runs, "largestDomainPods".
  std::string largest_domain;
  // The smallest change that lets the group run; all of it is needed. What nodes lack was tried,
  // and so was one unit less. Empty where none is known.
  struct Change {
    // "raiseLimit", "raiseQuota"; "freeGpus", "freeOnNode" (others hold it), "addGpusToNode",
    // "addToNode"; "dropRule".
    std::string kind;
    // Queue or node; or the rule: "nodeAffinity", "taints", "podAffinity", "podAntiAffinity",
    // "hostPorts".
    std::string where;
    double amount = 0;     // In the units of the Queue API: GPUs, millicores, millions of bytes.
    std::string resource;  // "gpu", "cpu", "memory", or its name.
  };
  std::vector<Change> changes;
};

}  // namespace coppice::engine
