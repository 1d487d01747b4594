#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/filters/placement_rules.h"
#include "engine/filters/volume_filter.h"
#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// Why a pod fits on no node at all. `unresolvable`: evicting others would not help.
struct PreFailure {
  std::string filter;
  std::string message;
  bool unresolvable = false;
};

// The predicates plugin: what a pod and a node require of each other apart from amounts
// (docs/behaviour/engine.md S-82 to S-85).
class Predicates {
 public:
  static constexpr std::string_view kName = "predicates";
  static constexpr Points kPoints = Point::kFilter | Point::kExplain;
  static constexpr bool kTimed = true;
  static bool On(const Session& session) { return session.plugins.predicates; }

  explicit Predicates(Session& session);

  // Call once per attempt to place the task, before Filter.
  std::optional<std::string> PreFilter(TaskId task);
  // The checks whose result no eviction can change.
  std::optional<PreFailure> VictimInvariant(TaskId task);
  bool Filter(TaskId task, NodeId node, std::vector<std::string>* why) const;
  // The queue's part of Filter, and the part that depends only on the pod's class and the node. The
  // latter returns whether the node rejects the pod.
  std::optional<std::string> CheckQueue(TaskId task, NodeId node) const;
  bool CheckNode(TaskId task, NodeId node) const;
  // ConfigMaps that the pod needs and that do not exist.
  std::vector<std::string> MissingConfigMaps(TaskId task) const;
  // Missing ConfigMaps and volume claims.
  void Missing(TaskId task, std::vector<Explanation::Change>& changes) const;
  // Only nodeSelector and required node affinity.
  bool MatchesNodeAffinity(const PodClass& cls, NodeId node) const;
  bool MatchesNodeAffinity(TaskId task, NodeId node) const {
    return MatchesNodeAffinity(cluster_.ClassOf(task), node);
  }
  // Whether the node is usable in its current state, ignoring free capacity: its conditions and
  // taints, its GPU type, the pod's node selector and affinity.
  bool Admits(TaskId task, NodeId node) const;
  // Ignores these rules from now on; only on the nodes marked in `on`, if given.
  void Ignore(PlacementRules rules, std::vector<bool> on = {}) {
    ignored_ = rules;
    ignored_on_ = std::move(on);
  }
  // The node's taints of one kind that the pod does not tolerate: those that Kubernetes sets for
  // the node's state, or the others.
  std::vector<Taint> Untolerated(TaskId task, NodeId node, bool by_state) const;
  // Assumes from now on that some node is large enough for every pod.
  void SupposeLargerNodes(bool suppose) { larger_nodes_ = suppose; }

 private:
  // Pods that matter for the affinity of the task to place, by topology key and value.
  struct AffinityCounts {
    bool needed = false;
    // Keys point to label texts, which have stable addresses.
    using ByValue = std::unordered_map<std::string_view, int>;
    std::vector<ByValue> own;       // Per required term.
    std::vector<ByValue> own_anti;  // Per anti term.
    std::map<std::pair<std::string, std::string_view>, int> existing_anti;
    int64_t total_own = 0;
    bool matches_itself = false;
  };

  std::vector<PreFailure> Prepare(TaskId task);
  std::vector<std::string> Check(TaskId task, NodeId node) const;
  std::optional<PreFailure> MaxNodeResources(TaskId task);
  std::optional<PreFailure> ConfigMaps(TaskId task);
  void CountAffinity(TaskId task);
  std::optional<std::string> CheckAmounts(TaskId task, NodeId node) const;
  std::optional<std::string> CheckFilters(TaskId task, NodeId node) const;
  std::optional<std::string> CheckAffinity(TaskId task, NodeId node) const;
  std::optional<std::string> CheckGpuKind(TaskId task, NodeId node) const;
  bool LacksDevicePlugin(const PodClass& cls, NodeId node) const;
  std::vector<std::string> LegacyMigPods(NodeId node) const;
  std::optional<std::string> CheckPodSlots(TaskId task, NodeId node) const;
  int64_t PodSlots(TaskId task, NodeId node) const;
  bool PortsFree(const PodClass& cls, NodeId node) const;
  std::optional<std::string> CheckTaints(const PodClass& cls, NodeId node) const;
  bool Ignores(PlacementRule rule, NodeId node) const {
    return ignored_.Has(rule) && (ignored_on_.empty() || ignored_on_[node]);
  }
  std::optional<std::string> CheckRestricted(TaskId task, NodeId node) const;

  Session& session_;
  Cluster& cluster_;
  VolumeFilter volumes_;
  Amounts max_allocatable_;
  AffinityCounts affinity_;
  PlacementRules ignored_;
  std::vector<bool> ignored_on_;  // Empty: everywhere.
  bool larger_nodes_ = false;
  std::vector<uint8_t> affinity_skipped_;  // By task, sticky for the cycle.
  std::unordered_map<TaskId, std::optional<PreFailure>> max_node_cache_;
};

}  // namespace coppice::engine
