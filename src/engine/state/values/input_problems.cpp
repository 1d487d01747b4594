#include "engine/state/values/input_problems.h"

#include <algorithm>
#include <tuple>

namespace coppice::engine {

void InputProblems::Report(std::string kind, std::string_view name, std::string message) {
  texts_.insert({std::move(kind), std::string(name), std::move(message)});
}

void InputProblems::Forget(std::string_view kind, std::string_view name) {
  std::erase_if(texts_, [&](const auto& known) { return known[0] == kind && known[1] == name; });
}

void InputProblems::Forget(std::string_view kind) {
  std::erase_if(texts_, [&](const auto& known) { return known[0] == kind; });
}

void InputProblems::MarkOvercommitted(NodeId node, bool is) {
  if (is) {
    overcommitted_.insert(node);
  } else if (!overcommitted_.empty()) {
    overcommitted_.erase(node);
  }
}

void InputProblems::MarkStranded(TaskId task, bool is) {
  if (is) {
    stranded_.insert(task);
  } else if (!stranded_.empty()) {
    stranded_.erase(task);
  }
}

void InputProblems::ForgetPod(TaskId task) {
  stranded_.erase(task);
  negative_.erase(task);
}

std::vector<InputProblem> InputProblems::All(const NodeName& node_name,
                                             const PodName& pod_name) const {
  std::vector<InputProblem> all;
  for (const auto& [kind, name, message] : texts_) all.push_back({kind, name, message});
  const size_t texts = all.size();
  for (NodeId node : overcommitted_) {
    all.push_back({"Node", node_name(node), "its pods ask for more than it has"});
  }
  for (TaskId task : stranded_) {
    all.push_back({"Pod", pod_name(task), "is on a node that does not exist"});
  }
  for (TaskId task : negative_) {
    all.push_back({"Pod", pod_name(task), "a negative request is read as zero"});
  }
  std::sort(all.begin() + static_cast<std::ptrdiff_t>(texts), all.end(),
            [](const InputProblem& a, const InputProblem& b) {
              return std::tie(a.kind, a.name, a.message) < std::tie(b.kind, b.name, b.message);
            });
  return all;
}

}  // namespace coppice::engine
