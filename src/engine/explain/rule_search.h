#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/explain/explain.h"
#include "engine/explain/trial.h"

namespace coppice::engine {

// Which rules of the pods and their nodes keep a gang from nodes that would hold it.
class RuleSearch {
 public:
  // Rules without which the gang runs, none of which may stay. Those of nodes need to go only on
  // some.
  struct Answer {
    PlacementRules dropped;
    std::vector<NodeId> nodes;  // On which they go; empty where no rule is a node's.
    // Where each pod runs then; empty like `nodes`.
    std::vector<std::pair<TaskId, NodeId>> places;
  };

  explicit RuleSearch(Trial& trial) : trial_(trial) {}

  // Of `candidates`, with that added to nodes; nothing where they are not in the way, or not alone.
  std::optional<Answer> InTheWay(PlacementRules candidates, const std::vector<Missing>& added = {});
  // What to do about them. A rule that alone keeps pods from every node comes first.
  std::vector<Explanation::Change> Changes(const Answer& answer) const;
  // "NodeState", "Taints", … : the rule that matters most.
  static std::string ReasonOf(const Answer& answer);
  // The same in a sentence.
  std::string Summary(const Answer& answer) const;
  // Whether they go by themselves: nodes that are down come back, those that are cordoned do not.
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
  // One pod of each kind that goes to the node; of all that wait.
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
