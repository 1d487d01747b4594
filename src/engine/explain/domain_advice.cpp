#include "engine/explain/domain_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/explain/amount_text.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {
namespace {

// "topo/rack" is a rack.
std::string ShortLevel(std::string_view label) {
  const size_t slash = label.rfind('/');
  return std::string(slash == label.npos ? label : label.substr(slash + 1));
}

// The level of the constraint's topology with this index.
std::string LevelText(const Cluster& cluster, const Constraint& constraint, int level) {
  const auto& specs = cluster.topologies().specs();
  const auto spec = specs.find(std::string(cluster.Text(constraint.topology)));
  if (spec == specs.end()) return "";
  return ShortLevel(spec->second.levels[static_cast<size_t>(level)].node_label);
}

std::string NumberWord(int64_t number) {
  constexpr std::string_view kWords[] = {"no",   "one",    "two",   "three", "four",
                                         "five", "six",    "seven", "eight", "nine",
                                         "ten",  "eleven", "twelve"};
  if (number >= 0 && number < static_cast<int64_t>(std::size(kWords))) {
    return std::string(kWords[number]);
  }
  return std::to_string(number);
}

// GPUs in thousandths.
class DomainCount {
 public:
  explicit DomainCount(const Trial& trial) : cluster_(trial.cluster()), tasks_(trial.tasks()) {
    each_ = tasks_.empty() ? 0 : cluster_.ClassOf(tasks_[0]).gpu.Milli();
    for (const TaskId task : tasks_) alike_ &= cluster_.ClassOf(task).gpu.Milli() == each_;
  }

  bool applies() const { return alike_ && each_ > 0 && each_ % 1000 == 0; }
  int64_t pods() const { return static_cast<int64_t>(tasks_.size()); }
  int64_t SlotsOn(NodeId node) const {
    return TotalGpus(cluster_.resources(), cluster_.amounts().allocatable(node)) / each_;
  }
  int64_t SlotsOn(const std::vector<NodeId>& nodes) const {
    int64_t slots = 0;
    for (const NodeId node : nodes) slots += SlotsOn(node);
    return slots;
  }

 private:
  const Cluster& cluster_;
  const std::vector<TaskId>& tasks_;
  int64_t each_ = 0;
  bool alike_ = true;
};

// The narrowest level wider than `level` with a domain that holds all pods; nullopt if none has.
std::optional<int> WiderLevel(const TopologyTree& tree, int level, const DomainCount& count) {
  for (int wider = level - 1; wider >= -1; --wider) {
    for (const TopologyTree::Domain& domain : tree.domains()) {
      if (domain.level == wider && count.SlotsOn(domain.nodes) >= count.pods()) return wider;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Explanation::Change> DomainAdvice(Trial& trial, const Constraint& required) {
  const DomainCount count(trial);
  Session& session = trial.session();
  const TopologyTree* tree =
      session.topology ? session.topology->TreeOf(required.topology) : nullptr;
  if (tree == nullptr || !count.applies()) return std::nullopt;
  int64_t largest = 0;
  for (const NodeId node : trial.cluster().node_order()) {
    largest = std::max(largest, count.SlotsOn(node));
  }
  if (largest == 0) return std::nullopt;
  const int level = tree->LevelOf(required.required);
  const std::string narrow = ShortLevel(trial.cluster().Text(required.required));
  const int64_t nodes = (count.pods() + largest - 1) / largest;
  std::string text = fmt::format("use one {} with {} free {}", narrow, NumberWord(nodes),
                                 nodes == 1 ? "node" : "nodes");
  if (const auto wider = WiderLevel(*tree, level, count); wider && *wider >= 0) {
    text +=
        fmt::format(", or relax {} to {}", narrow, LevelText(trial.cluster(), required, *wider));
  } else if (wider) {
    text += fmt::format(", or do not require one {}", narrow);
  }
  return Explanation::Change{"widenDomain", std::string(trial.cluster().Text(required.required)),
                             static_cast<double>(nodes), "node", std::move(text)};
}

}  // namespace coppice::engine
