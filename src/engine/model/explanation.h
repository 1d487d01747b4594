#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/result.h"

namespace coppice::engine {

enum class Verdict {
  kRuns,         // None of its pods waits.
  kPlaceable,    // The next cycle places it.
  kWaits,        // It will run without intervention once something ends, is freed or becomes Ready.
  kNeedsAction,  // It will run once someone changes a setting or creates what is missing.
  kNever,        // This cluster's nodes can never hold it.
};
std::string_view ToString(Verdict verdict);

// The single record behind events, conditions, `why` and the web page.
struct Explanation {
  GroupKey group;
  // The name that users know: "job/train", "set/serve, gang serve-0".
  std::string object;
  Verdict verdict = Verdict::kWaits;
  // The main reason in one word: "Resources", "Fragmentation", "PodTooLarge", "Topology", "Limit",
  // "Quota"; a rule of the pods or their nodes: "NodeState", "Taints", "NodeAffinity",
  // "PodAffinity", "PodAntiAffinity", "HostPorts", "Volumes"; "Devices"; "NotReady" (pods are
  // missing or gated), "QueueDoesNotExist", "QueueHasChildren", "UnknownSubGroup", "Prerequisites"
  // (a claim, a volume or a ConfigMap is missing), "TopologyUnresolved", "NoNodes", "Releasing",
  // "RoomLeftToGang" (of the same set, temporarily), "Scheduled".
  std::string reason;
  // The reason in the user's terms, with numbers and units.
  std::string summary;
  // In the scheduler's words, as in events and conditions.
  std::string message;
  // Node histogram: short reason to number of nodes.
  std::map<std::string, int> nodes;
  // The numbers behind the reason: "requestedGpus", "freeGpus", "podsThatFit", "quota", …
  std::map<std::string, double> evidence;
  // If a topology is required: the domain to change.
  std::string domain;
  // If a topology is required and no domain can ever hold the group: the domain that holds most of
  // it. Evidence then has its "largestDomainGpus" and, if the pods are alike, "largestDomainPods":
  // how many of the pods that must run together it holds while nothing else runs.
  std::string largest_domain;
  // The smallest change that lets the group run; all parts are needed. Changes of node capacity
  // were verified by trying them, and by trying one unit less. Empty if none is known.
  struct Change {
    // "raiseLimit", "raiseQuota"; "freeGpus", "freeOnNode" (others hold it), "forceDelete" (pods
    // that do not terminate), "addGpusToNode", "addToNode"; "uncordon", "nodeReady", "tolerate",
    // "labelNode", "dropRule"; "create", "wait".
    std::string kind;
    // The queue or node; or the rule, the taint, the label, the missing object.
    std::string where;
    // In the units of the Queue API: GPUs, millicores, millions of bytes. For node memory, MiB.
    double amount = 0;
    std::string resource;  // "gpu", "cpu", "memory", or its name.
    std::string text;      // What to do, for humans.
  };
  std::vector<Change> changes;
  // Another change with the same effect.
  std::vector<Change> alternative;
};

// The change that creates a missing object.
Explanation::Change ToCreate(const std::string& kind, const std::string& name);

}  // namespace coppice::engine
