#include "scenario/invariants/fresh_binds.h"

#include <fmt/format.h>

#include <set>

#include "api/key/kai.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::scenario {
namespace {

using json::Value;
namespace names = services::names;

constexpr std::string_view kDefaultSubGroup = "default";

const Value* GroupOf(const World& world, const Value& pod) {
  const std::string_view name = kube::Annotation(pod, names::kPodGroupAnnotation);
  for (const Value& group : world.groups) {
    if (kube::Name(group) == name && kube::Namespace(group) == kube::Namespace(pod)) return &group;
  }
  return nullptr;
}

const Value* FindQueue(const World& world, std::string_view name) {
  for (const Value& queue : world.queues) {
    if (kube::Name(queue) == name) return &queue;
  }
  return nullptr;
}

// The queue and its ancestors; a circle ends the walk.
std::vector<const Value*> QueuePath(const World& world, std::string_view name) {
  std::vector<const Value*> path;
  while (const Value* queue = FindQueue(world, name)) {
    if (path.size() > world.queues.size()) break;
    path.push_back(queue);
    name = view::kai::Queue(*queue).spec().parentQueue();
  }
  return path;
}

// What runs on behalf of a queue or of those below it, by field and in the units of a queue's
// limits: what is going away no longer counts.
std::map<std::string_view, double> UsedByQueue(const World& world, std::string_view queue) {
  using Key = key::kai::QueueResources;
  std::map<std::string_view, double> used;
  for (const Value& pod : world.pods) {
    if (!IsBound(pod) || !HoldsResources(pod) || kube::IsDeleting(pod)) continue;
    const Value* group = GroupOf(world, pod);
    if (group == nullptr) continue;
    for (const Value* above : QueuePath(world, view::kai::PodGroup(*group).spec().queue())) {
      if (kube::Name(*above) != queue) continue;
      ResourceMap asked;
      AddRequests(pod, asked);
      used[Key::gpu] += asked[std::string(names::kGpuResource)].ToDouble() + FractionOf(pod);
      used[Key::cpu] += asked[kCpu].ToDouble() * 1000;
      used[Key::memory] += asked[kMemory].ToDouble() / 1e6;
    }
  }
  return used;
}

// Members that have a node or have done their work, with their leaf.
std::map<std::string, std::string> PlacedMembers(const World& world, const Value& group) {
  std::map<std::string, std::string> placed;
  for (const Value& pod : world.pods) {
    if (GroupOf(world, pod) != &group || !IsBound(pod)) continue;
    if (view::core::Pod(pod).status().phase() == "Failed") continue;
    const std::string_view sub_group = kube::Label(pod, names::kSubGroupLabel);
    placed.emplace(kube::Uid(pod), sub_group.empty() ? kDefaultSubGroup : sub_group);
  }
  return placed;
}

class GangTree {
 public:
  // `members` by uid, with their leaf.
  GangTree(const Value& group, const std::map<std::string, std::string>& members)
      : spec_(view::kai::PodGroup(group).spec()) {
    for (const auto& [uid, leaf] : members) ++placed_[leaf];
  }

  bool Satisfied() const {
    if (spec_.subGroups().empty()) return Total() >= spec_.minMember(1);
    return ChildrenSatisfied("", spec_);
  }

 private:
  int64_t Total() const {
    int64_t total = 0;
    for (const auto& [name, count] : placed_) total += count;
    return total;
  }

  // `node` is the group itself or a sub-group.
  template <typename Node>
  bool ChildrenSatisfied(std::string_view name, Node node) const {
    int64_t children = 0, satisfied = 0;
    for (const view::kai::SubGroup child : spec_.subGroups()) {
      if (child.parent() != name) continue;
      ++children;
      if (NodeSatisfied(child)) ++satisfied;
    }
    return satisfied >= node.minSubGroup(children);
  }

  bool NodeSatisfied(view::kai::SubGroup node) const {
    if (HasChildren(node)) return ChildrenSatisfied(node.name(), node);
    const auto placed = placed_.find(std::string(node.name()));
    return (placed == placed_.end() ? 0 : placed->second) >= node.minMember(1);
  }

  bool HasChildren(view::kai::SubGroup node) const {
    for (const view::kai::SubGroup other : spec_.subGroups()) {
      if (other.parent() == node.name()) return true;
    }
    return false;
  }

  const view::kai::PodGroupSpec spec_;
  std::map<std::string, int64_t> placed_;
};

}  // namespace

void CheckQueueLimits(const World& world, const FreshPods& fresh, Violations& out) {
  std::set<const Value*> seen;
  for (const Value* pod : fresh) {
    const Value* group = GroupOf(world, *pod);
    if (group == nullptr) continue;
    for (const Value* queue : QueuePath(world, view::kai::PodGroup(*group).spec().queue())) {
      if (!seen.insert(queue).second) continue;
      for (const auto& [resource, used] : UsedByQueue(world, kube::Name(*queue))) {
        const Value& resources = view::kai::Queue(*queue).spec().resources().Json();
        const double limit = view::kai::QueueResource(resources[resource]).limit(-1);
        if (limit < 0 || used <= limit + 1e-6) continue;
        out.push_back(fmt::format("queue {} uses {} of {}, more than its limit of {}",
                                  kube::Name(*queue), used, resource, limit));
      }
    }
  }
}

void ShortGangs::Check(const World& world, const FreshPods& fresh, base::Duration grace,
                       Violations& out) {
  for (const Value* pod : fresh) {
    const Value* group = GroupOf(world, *pod);
    if (group != nullptr) short_since_.try_emplace(std::string(kube::Uid(*group)), world.now);
  }
  std::map<std::string, base::Time> still;
  std::map<std::string, Members> now;
  for (const Value& group : world.groups) {
    const std::string uid(kube::Uid(group));
    Members members = now[uid] = PlacedMembers(world, group);
    const auto known = short_since_.find(uid);
    if (known == short_since_.end() || members.empty()) continue;
    // Who was there when the others were bound, and was taken away since, was no fault of the bind.
    members.merge(before_[uid]);
    if (GangTree(group, members).Satisfied()) continue;
    still.insert(*known);
    if (world.now - known->second < grace) continue;
    out.push_back(fmt::format("pods of gang {} are bound without its minimum", kube::Name(group)));
  }
  before_ = std::move(now);
  short_since_ = std::move(still);
}

}  // namespace coppice::scenario
