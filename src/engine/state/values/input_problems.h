#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/result.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// The current problems of each object. Problems in a spec are stored as texts; those that come and
// go with other objects are marks on nodes and pods, which cost nothing while there are none.
class InputProblems {
 public:
  void Report(std::string kind, std::string_view name, std::string message);
  void Forget(std::string_view kind, std::string_view name);
  void Forget(std::string_view kind);

  // The pods of a node request more than it has.
  void MarkOvercommitted(NodeId node, bool is);
  bool any_overcommitted() const { return !overcommitted_.empty(); }
  // A pod is on a node that does not exist.
  void MarkStranded(TaskId task, bool is);
  // A pod has a negative request.
  void MarkNegative(TaskId task) { negative_.insert(task); }
  void ForgetPod(TaskId task);

  // Texts first, then marks, each sorted.
  using NodeName = std::function<std::string(NodeId)>;
  using PodName = std::function<std::string(TaskId)>;
  std::vector<InputProblem> All(const NodeName& node_name, const PodName& pod_name) const;

 private:
  std::set<std::array<std::string, 3>> texts_;  // Kind, name, message.
  std::set<NodeId> overcommitted_;
  std::set<TaskId> stranded_;
  std::set<TaskId> negative_;
};

}  // namespace coppice::engine
