#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/session.h"
#include "engine/topology_tree.h"

namespace coppice::engine {

// The topology plugin: which sets of nodes a sub-group may be placed on, in the order in which
// they are tried, and which of them it prefers (spec 5.11).
class TopologyPlanner {
 public:
  explicit TopologyPlanner(Session& session) : session_(session), cluster_(session.cluster) {}

  // A new job begins: what was preferred for the last one is forgotten.
  void BeginJob() { scores_.clear(); }

  // The sets to try for a sub-group; empty when none can hold the tasks. Errors are added to
  // `errors` where given.
  std::vector<NodeSet> Subsets(const Gang& gang, const SubGroupSet::Member& sub_group,
                               std::span<const TaskId> tasks, const NodeSet& nodes,
                               JobErrors* errors);

  bool Scoring() const { return !scores_.empty(); }
  // nullopt: the node is out of the question for the task.
  std::optional<double> Score(TaskId task, NodeId node) const;
  const TopologyTree* TreeOf(NameId topology);

 private:
  struct Room {
    int64_t pods = -1;  // How many of the tasks fit; -1: not counted.
    Amounts free;
    double ratio = 0;  // The scarcest resource: asked for against free.
  };
  struct Query {
    const Gang* gang;
    SubGroupSet::Member sub_group;
    Constraint constraint;
    std::span<const TaskId> tasks;
    const TopologyTree* tree;
    int required = kNone;
    int preferred = kNone;
    Amounts total;    // Σ requests.
    Amounts largest;  // Element-wise maximum.
    bool homogeneous = false;
    bool gpus = false;
  };

  int CommonDomain(const Query& query, const NodeSet& valid) const;
  void Measure(const Query& query, int domain);
  int64_t PodsOn(const Query& query, NodeId node) const;
  double RatioOf(const Query& query, const Amounts& free) const;
  bool Fits(const Query& query, int domain) const;
  void SortBelow(const Query& query, int domain, int level);
  void DomainsAt(const TopologyTree& tree, int domain, int level, std::vector<int>& found) const;
  void Prefer(const Query& query, int common);
  std::vector<int> Candidates(const Query& query, int common, JobErrors* errors);
  bool InActiveDomain(const Query& query, int domain) const;
  FitError Unsatisfied(const Query& query, const std::string& where) const;
  FitError DomainError(const Query& query, int domain) const;
  NameId NameOf(const Gang& gang, const SubGroupSet::Member& member) const;

  Session& session_;
  Cluster& cluster_;
  std::map<NameId, std::unique_ptr<TopologyTree>> trees_;
  std::vector<Room> rooms_;                                      // By domain, of the last query.
  std::vector<std::vector<int>> children_;                       // Sorted for the last query.
  std::map<NameId, std::unordered_map<NodeId, double>> scores_;  // By sub-group.
};

}  // namespace coppice::engine
