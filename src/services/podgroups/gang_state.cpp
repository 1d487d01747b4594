#include "services/podgroups/gang_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/view/core.h"
#include "api/view/kai.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/podgroups/pod_usage.h"

namespace coppice::services::podgroups {
namespace {

// The group's tree with the number of scheduled pods per leaf.
class Tree {
 public:
  // What `spec` points into must outlive it.
  Tree(view::kai::PodGroupSpec spec, std::map<std::string, int64_t> scheduled)
      : spec_(spec), scheduled_(std::move(scheduled)) {
    for (const view::kai::SubGroup node : spec.subGroups()) {
      children_[std::string(node.parent())].push_back(node);
    }
  }

  bool IsSatisfied() const {
    if (spec_.subGroups().empty()) return Total() >= spec_.minMember(1);
    return SatisfiedChildren("") >= spec_.minSubGroup(ChildrenOf("")) &&
           Total() >= spec_.minMember();
  }

  int64_t Total() const {
    int64_t total = 0;
    for (const auto& [leaf, count] : scheduled_) total += count;
    return total;
  }

 private:
  int64_t ChildrenOf(const std::string& name) const {
    const auto found = children_.find(name);
    return found == children_.end() ? 0 : static_cast<int64_t>(found->second.size());
  }

  // Parents are checked at admission, but a cycle that slipped in must not hang us.
  int64_t SatisfiedChildren(const std::string& parent, size_t depth = 0) const {
    const auto found = children_.find(parent);
    if (found == children_.end() || depth > spec_.subGroups().size()) return 0;
    return std::count_if(found->second.begin(), found->second.end(), [&](view::kai::SubGroup node) {
      const std::string name(node.name());
      if (children_.contains(name))
        return SatisfiedChildren(name, depth + 1) >= node.minSubGroup(ChildrenOf(name));
      const auto count = scheduled_.find(name);
      return (count == scheduled_.end() ? 0 : count->second) >= node.minMember();
    });
  }

  const view::kai::PodGroupSpec spec_;
  std::map<std::string, int64_t> scheduled_;
  std::map<std::string, std::vector<view::kai::SubGroup>> children_;
};

bool AllAre(const std::vector<json::Value>& pods, std::string_view phase) {
  return !pods.empty() && std::all_of(pods.begin(), pods.end(), [&](const json::Value& pod) {
    return view::core::Pod(pod).status().phase() == phase;
  });
}

std::map<std::string, int64_t> CountScheduled(const std::vector<json::Value>& pods) {
  std::map<std::string, int64_t> scheduled;
  for (const json::Value& pod : pods) {
    // A succeeded pod has run; the gang does not wait for it again. The same holds for a pod that
    // is being deleted: on a failed node it stays forever.
    const bool scheduled_now = IsScheduled(pod) && !kube::IsDeleting(pod);
    const bool counts = scheduled_now || view::core::Pod(pod).status().phase() == "Succeeded";
    if (counts) ++scheduled[std::string(kube::Label(pod, names::kSubGroupLabel))];
  }
  return scheduled;
}

}  // namespace

GangState GangStateOf(const json::Value& group, const std::vector<json::Value>& pods) {
  const Tree tree(view::kai::PodGroup(group).spec(), CountScheduled(pods));
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
