#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/explain/trial.h"
#include "engine/model/explanation.h"

namespace coppice::engine {

// Finds the rules of the pods and their nodes that keep a gang off nodes that could hold it.
class RuleSearch {
 public:
  // A minimal set of rules to drop so that the gang runs. Rules of nodes need to be dropped only on
  // some.
  struct Answer {
    PlacementRules dropped;
    std::vector<NodeId> nodes;  // Where to drop them; empty if none is a rule of nodes.
    // Where each pod would run; empty if `nodes` is.
    std::vector<std::pair<TaskId, NodeId>> places;
  };

  explicit RuleSearch(Trial& trial) : trial_(trial) {}

  // Which of `candidates` block the gang, with `added` on the nodes; nullopt if they do not, or not
  // alone.
  std::optional<Answer> InTheWay(PlacementRules candidates, const std::vector<Missing>& added = {});
  // What to do about them. A rule that by itself excludes every node comes first.
  std::vector<Explanation::Change> Changes(const Answer& answer) const;
  // "NodeState", "Taints", …: the most important rule.
  static std::string ReasonOf(const Answer& answer);
  // The same as a sentence.
  std::string Summary(const Answer& answer) const;
  // Whether they will resolve without intervention: nodes that are down come back, cordoned nodes
  // do not.
  bool MayPass(const Answer& answer) const;

 private:
  using Change = Explanation::Change;

  bool RunsWithout(PlacementRules rules, const std::vector<NodeId>& nodes,
                   const std::vector<Missing>& added);
  std::vector<NodeId> FewestNodes(PlacementRules rules, const std::vector<Missing>& added);
  std::vector<std::pair<TaskId, NodeId>> Places(PlacementRules rules,
                                                const std::vector<NodeId>& nodes,
                                                const std::vector<Missing>& added);
  void Ignore(PlacementRules rules, const std::vector<NodeId>& nodes);
  // One pod of each kind placed on the node; of all waiting pods.
  std::vector<TaskId> KindsOn(const Answer& answer, NodeId node) const;
  std::vector<TaskId> Kinds() const;
  std::vector<std::string> StatesOf(const Answer& answer, NodeId node) const;
  bool IsCordoned(NodeId node) const;
  std::string TaintsOf(const Answer& answer, NodeId node) const;
  std::string LabelsMissing(const Answer& answer, NodeId node) const;
  std::string NodeName(NodeId node) const;
  void AddNodeStates(const Answer& answer, std::vector<Change>& changes) const;
  void AddTaints(const Answer& answer, std::vector<Change>& changes) const;
  void AddLabels(const Answer& answer, std::vector<Change>& changes) const;
  void AddPodRules(const Answer& answer, std::vector<Change>& changes) const;
  std::string Terms(bool anti) const;
  std::string Ports() const;
  std::string Volumes() const;
  const PodShape& ShapeOf(TaskId task) const;

  Trial& trial_;
};

}  // namespace coppice::engine
