#include "services/podgroups/gang_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kube/object.h"
#include "services/names.h"
#include "services/podgroups/pod_usage.h"

namespace coppice::services::podgroups {
namespace {

// The group's tree with the number of scheduled pods per leaf.
class Tree {
 public:
  Tree(const json::Value& group, std::map<std::string, int64_t> scheduled)
      : group_(group), scheduled_(std::move(scheduled)) {
    for (const json::Value& node : group["spec"]["subGroups"].Items()) {
      children_[node["parent"].ToString()].push_back(&node);
    }
  }

  bool IsSatisfied() const {
    const json::Value& spec = group_["spec"];
    if (spec["subGroups"].empty()) return Total() >= spec["minMember"].AsInt(1);
    return SatisfiedChildren("") >= Required(spec, "") && Total() >= spec["minMember"].AsInt();
  }

  int64_t Total() const {
    int64_t total = 0;
    for (const auto& [leaf, count] : scheduled_) total += count;
    return total;
  }

 private:
  int64_t Required(const json::Value& node, const std::string& name) const {
    const auto found = children_.find(name);
    const int64_t all = found == children_.end() ? 0 : static_cast<int64_t>(found->second.size());
    return node["minSubGroup"].AsInt(all);
  }

  // Parents are checked at admission, but a cycle that slipped in must not hang us.
  int64_t SatisfiedChildren(const std::string& parent, size_t depth = 0) const {
    const auto found = children_.find(parent);
    if (found == children_.end() || depth > group_["spec"]["subGroups"].size()) return 0;
    return std::count_if(found->second.begin(), found->second.end(), [&](const json::Value* node) {
      const std::string name = (*node)["name"].ToString();
      if (children_.contains(name))
        return SatisfiedChildren(name, depth + 1) >= Required(*node, name);
      const auto count = scheduled_.find(name);
      return (count == scheduled_.end() ? 0 : count->second) >= (*node)["minMember"].AsInt();
    });
  }

  const json::Value& group_;
  std::map<std::string, int64_t> scheduled_;
  std::map<std::string, std::vector<const json::Value*>> children_;
};

bool AllAre(const std::vector<json::Value>& pods, std::string_view phase) {
  return !pods.empty() && std::all_of(pods.begin(), pods.end(), [&](const json::Value& pod) {
    return pod["status"]["phase"].AsString() == phase;
  });
}

std::map<std::string, int64_t> CountScheduled(const std::vector<json::Value>& pods) {
  std::map<std::string, int64_t> scheduled;
  for (const json::Value& pod : pods) {
    // A pod that has succeeded has had its turn; the gang does not wait for it again.
    const bool counts = IsScheduled(pod) || pod["status"]["phase"].AsString() == "Succeeded";
    if (counts) ++scheduled[std::string(kube::Label(pod, names::kSubGroupLabel))];
  }
  return scheduled;
}

}  // namespace

GangState GangStateOf(const json::Value& group, const std::vector<json::Value>& pods) {
  const Tree tree(group, CountScheduled(pods));
  GangState state;
  state.minimum_scheduled = tree.IsSatisfied() && !pods.empty();
  state.reason = state.minimum_scheduled ? "MinimumScheduled" : "WaitingForPods";
  state.message =
      fmt::format("{} of {} pods are scheduled, which {} the group's minimum", tree.Total(),
                  pods.size(), state.minimum_scheduled ? "meets" : "does not meet");
  if (AllAre(pods, "Succeeded")) {
    state.phase = "Succeeded";
  } else if (AllAre(pods, "Failed")) {
    state.phase = "Failed";
  } else {
    state.phase = state.minimum_scheduled ? "Running" : "Pending";
  }
  return state;
}

}  // namespace coppice::services::podgroups
