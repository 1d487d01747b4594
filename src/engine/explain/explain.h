#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.h"

namespace coppice::engine {

enum class Verdict {
  kRuns,         // Nothing of it waits.
  kPlaceable,    // The next cycle places it.
  kWaits,        // It runs by itself once something ends, is free or is Ready.
  kNeedsAction,  // It runs once somebody changes a setting or creates what is missing.
  kNever,        // No arrangement of this cluster's nodes can hold it.
};
std::string_view ToString(Verdict verdict);

// The one record behind events, conditions, `why` and the page.
struct Explanation {
  GroupKey group;
  // What users call it: "job/train", "set/serve, gang serve-0".
  std::string object;
  Verdict verdict = Verdict::kWaits;
  // The dominant reason in one word: "Resources", "Fragmentation", "PodTooLarge", "Topology",
  // "Limit", "Quota"; a rule of the pods or their nodes: "NodeState", "Taints", "NodeAffinity",
  // "PodAffinity", "PodAntiAffinity", "HostPorts", "Volumes"; "Devices"; "NotReady" (pods are
  // missing or gated), "QueueDoesNotExist", "QueueHasChildren", "UnknownSubGroup", "Prerequisites"
  // (a claim, a volume or a ConfigMap is missing), "TopologyUnresolved", "NoNodes", "Releasing",
  // "RoomLeftToGang" (of the same set, for a while), "Scheduled".
  std::string reason;
  // The same in the user's terms, with numbers and units.
  std::string summary;
  // In the scheduler's words, as events and conditions have it.
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
    // "raiseLimit", "raiseQuota"; "freeGpus", "freeOnNode" (others hold it), "forceDelete" (pods
    // that do not leave), "addGpusToNode", "addToNode"; "uncordon", "nodeReady", "tolerate",
    // "labelNode", "dropRule"; "create", "wait".
    std::string kind;
    // Queue or node; or the rule, the taint, the label, the missing object.
    std::string where;
    double amount = 0;     // In the units of the Queue API: GPUs, millicores, millions of bytes; of
                           // nodes' memory, MiB.
    std::string resource;  // "gpu", "cpu", "memory", or its name.
    std::string text;      // What to do, for people.
  };
  std::vector<Change> changes;
  // Another such change, which does as well.
  std::vector<Change> alternative;
};

// The change that creates an object which does not exist.
Explanation::Change ToCreate(const std::string& kind, const std::string& name);

}  // namespace coppice::engine
