#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// The numa plugin: predicts what the kubelet's topology manager will do with a pod on a node, so
// that pods are not sent to nodes that would reject them (docs/behaviour/engine.md S-96).
class NumaPlanner {
 public:
  static constexpr std::string_view kName = "numa";
  static constexpr Points kPoints = Point::kFilter | Point::kScore | Point::kReserve;
  static constexpr bool kTimed = true;
  static bool On(const Session& session) { return session.plugins.numa; }

  explicit NumaPlanner(Session& session);

  // The zones that the pod would get. nullopt: the node's policy would reject it. Empty: there is
  // nothing to align.
  std::optional<std::vector<ZoneAmount>> Plan(TaskId task, NodeId node) const;
  // False if the node's policy rejects pods that cannot be aligned, and this pod cannot.
  bool Allowed(TaskId task, NodeId node) const;

  bool Filter(TaskId task, NodeId node, std::vector<std::string>* why) const;
  bool Scores(TaskId task) const;
  double Score(TaskId task, NodeId node) const;

  void OnAllocate(TaskId task, NodeId node) { Charge(task, node, -1); }
  void OnDeallocate(TaskId task, NodeId node) { Charge(task, node, +1); }
  void Describe(TaskId task, BindExtras& extras) const;

 private:
  struct Needs {
    Amounts pod;                    // Total, if zones are chosen for whole pods.
    std::vector<Amounts> together;  // Run at the same time, each aligned separately.
    std::vector<Amounts> alone;     // Run one after the other, before those.
  };
  using Zones = std::vector<Amounts>;

  void StampPlacements(NodeId node);
  std::vector<ZoneAmount> ZonesOf(const std::vector<NumaPlacement>& record,
                                  const NodeNuma& numa) const;
  Amounts PlainAmounts(const ResourceList& list) const;
  // Reported by zones of the node, aligned for every pod that requests it, and not ignored.
  bool Device(int resource, const NodeNuma& numa) const;
  bool ForGuaranteedOnly(int resource) const;
  bool Guaranteed(TaskId task) const;
  // Whether the kubelet of this node would align the pod.
  bool Handles(TaskId task, const NodeNuma& numa) const;
  // Whether any kubelet would.
  bool Aligns(TaskId task) const;
  const Needs& RequestsOf(TaskId task) const;
  Needs NeedsOf(TaskId task, const NodeNuma& numa) const;
  Amounts Aligned(const Amounts& request, bool guaranteed, const NodeNuma& numa) const;
  static std::optional<std::vector<int>> Choose(const NodeNuma& numa, const Zones& available,
                                                const Amounts& need);
  static std::optional<std::vector<int>> Restricted(const NodeNuma& numa, const Zones& available,
                                                    const Amounts& need);
  static std::optional<std::vector<int>> BestEffort(const Zones& available, const Amounts& need);
  static void Draw(const std::vector<int>& mask, const Amounts& need, Zones& available,
                   std::vector<ZoneAmount>& placement);
  void Charge(TaskId task, NodeId node, int sign);

  Session& session_;
  Cluster& cluster_;
  int max_zones_ = 0;
  std::set<int> devices_;          // Devices that some node aligns.
  std::set<std::string> ignored_;  // Names as in the ResourceIndex.
  mutable std::unordered_map<ClassId, Needs> requests_;
};

}  // namespace coppice::engine
