#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/framework/framework.h"
#include "engine/session/session.h"
#include "engine/state/topology_tree.h"
#include "engine/topology/domain_rooms.h"

namespace coppice::engine {

// Parts of the cluster in the order in which they are tried.
class NodeChoices {
 public:
  NodeChoices() = default;
  // All nodes of the domains, or those of them that are in `valid`.
  NodeChoices(const Cluster& cluster, const TopologyTree& tree, std::vector<int> domains,
              std::optional<NodeSet> valid)
      : cluster_(&cluster), tree_(&tree), domains_(std::move(domains)), valid_(std::move(valid)) {}

  size_t size() const { return domains_.size(); }
  // Stored in `room` if it is not a whole domain.
  const NodeSet& Nodes(size_t choice, NodeSet& room) const;
  const TopologyTree* tree() const { return tree_; }
  int Domain(size_t choice) const { return domains_[choice]; }

 private:
  const Cluster* cluster_ = nullptr;
  const TopologyTree* tree_ = nullptr;
  std::vector<int> domains_;
  std::optional<NodeSet> valid_;
};

// The topology plugin: which sets of nodes a sub-group may be placed on, in the order in which
// they are tried, and which of them it prefers (docs/behaviour/engine.md S-88 and S-89).
class TopologyPlanner {
 public:
  static constexpr std::string_view kName = "topology";
  static constexpr Points kPoints = Point::kNodeSets | Point::kScore;
  static constexpr bool kTimed = true;
  static bool On(const Session& session) { return session.plugins.topology; }

  explicit TopologyPlanner(Session& session) : session_(session), cluster_(session.cluster) {}

  // Begins a new job; forgets the preferences of the last one.
  void BeginJob() { preferences_.clear(); }

  // The node sets to try for a sub-group with a constraint; empty if none can hold the tasks.
  // Appends errors to `errors` if given. `nodes` means everything if it is the cluster's own list.
  // O(domains down to the level in question), plus O(nodes) if it is not everything.
  NodeChoices Choose(const Gang& gang, const SubGroupSet::Member& sub_group,
                     std::span<const TaskId> tasks, const NodeSet& nodes, JobErrors* errors);

  // Whether the current job prefers some nodes to others.
  bool Scoring() const { return !preferences_.empty(); }
  bool Scores(TaskId) const { return session_.plugins.topology_scores && Scoring(); }
  double Score(TaskId task, NodeId node) const;
  // Whether Score is the same and defined for all nodes of the domain.
  bool LikesAlike(TaskId task, const TopologyTree& tree, int domain) const;
  const TopologyTree* TreeOf(NameId topology);

 private:
  // nullopt: the job's preferences do not cover the node.
  std::optional<double> PreferenceFor(TaskId task, NodeId node) const;
  struct Query {
    const Gang* gang = nullptr;
    SubGroupSet::Member sub_group;
    Constraint constraint;
    std::span<const TaskId> tasks;
    JobErrors* errors = nullptr;
    const TopologyTree* tree = nullptr;
    int required = kNone;
    int preferred = kNone;
    Amounts total;  // Sum of the requests.
    RoomQuestion question;
    const DomainRooms* rooms = nullptr;
    int common = 0;            // The narrowest domain that contains all nodes.
    bool has_active = false;   // Pods of the sub-group already run
    std::vector<int> running;  // in these domains of the required level.

    int SortLevel() const { return preferred != kNone ? preferred : required; }
  };
  // Scores of the domains of one level.
  struct Preference {
    const TopologyTree* tree = nullptr;
    int level = kNone;
    boost::unordered_flat_map<int, double> scores;
  };

  const Preference* PreferenceOf(TaskId task) const;
  bool Resolve(Query& query);
  void CountTasks(Query& query) const;
  void FindRunning(Query& query) const;
  const DomainRooms& RoomsFor(const Query& query);
  int CommonDomain(const Query& query, const NodeSet* valid) const;
  bool Measured(const Query& query, int domain) const;
  int64_t PodsIn(const Query& query, int domain) const;
  std::span<const int64_t> FreeIn(const Query& query, int domain) const;
  double RatioOf(const Query& query, int domain) const;
  bool Fits(const Query& query, int domain) const;
  void SortBelow(const Query& query, int domain);
  void DomainsAt(const Query& query, int domain, int level, std::vector<int>& found) const;
  void Prefer(const Query& query);
  std::vector<int> Candidates(const Query& query);
  bool InActiveDomain(const Query& query, int domain) const;
  FitError Unsatisfied(const Query& query, const std::string& where) const;
  FitError DomainError(const Query& query, int domain) const;
  NameId NameOf(const Gang& gang, const SubGroupSet::Member& member) const;

  Session& session_;
  Cluster& cluster_;
  std::list<DomainRooms> rooms_;  // The rooms of the last few queries, latest first.
  // Of the last query, by domain: the children, fullest first, for levels above SortLevel.
  std::vector<std::vector<int>> children_;
  std::vector<double> ratios_;
  std::map<NameId, Preference> preferences_;  // By sub-group.
};

}  // namespace coppice::engine
