#include "engine/answers/future.h"

#include <fmt/format.h>

#include <vector>

namespace coppice::engine {
namespace {

constexpr base::Duration kBetweenCycles = std::chrono::seconds(1);

// A pod as its owner creates it again.
PodSpec CreatedAgain(PodSpec pod, base::Time now, int cycle) {
  pod.uid = fmt::format("{}\x01{}", Future::Origin(pod.uid), cycle);
  pod.status = TaskStatus::kPending;
  pod.node.clear();
  pod.nominated_node.clear();
  pod.creation = now;
  pod.deletion.reset();
  pod.gpu_groups.clear();
  pod.claim_allocations.clear();
  pod.extended_claim_allocation.reset();
  pod.numa_placement.clear();
  pod.numa_observed = false;
  return pod;
}

std::vector<PodSpec> PodsOn(const Ledger& objects, const std::string& node) {
  std::vector<PodSpec> here;
  for (const PodSpec& pod : objects.pods()) {
    if (!pod.uid.empty() && pod.node == node) here.push_back(pod);
  }
  return here;
}

}  // namespace

bool Future::IsPlaced(const PodSpec& pod) {
  const bool ended = pod.status == TaskStatus::kSucceeded || pod.status == TaskStatus::kFailed;
  return !pod.uid.empty() && !pod.node.empty() && !ended && pod.status != TaskStatus::kReleasing;
}

int Future::Settle(int most) {
  for (int i = 1; i <= most; ++i) {
    ++cycle_;
    last_ = engine_.RunCycle(now_);
    CarryOut();
    if (cycle_ == 1) RemoveTerminated();
    if (last_.binds.empty() && last_.evictions.empty() && last_.pipelined.empty()) return i;
    now_ += kBetweenCycles;
  }
  return most;
}

void Future::CarryOut() {
  for (const BindDecision& bind : last_.binds) {
    const PodSpec* found = objects().FindPod(bind.pod.uid);
    if (found == nullptr) continue;
    PodSpec pod = *found;
    pod.status = TaskStatus::kRunning;
    engine_.PutPod(pod);
    bound_[std::string(Origin(pod.uid))] = cycle_;
    if (!pod.pod_group.empty()) started_.emplace(pod.shape->namespace_name, pod.pod_group);
  }
  for (const EvictDecision& eviction : last_.evictions) {
    const PodSpec* found = objects().FindPod(eviction.pod.uid);
    if (found != nullptr) Evict(PodSpec(*found), eviction.message);
  }
}

void Future::Evict(const PodSpec& pod, const std::string& why) {
  const PodKey key{pod.shape->namespace_name, pod.name, std::string(Origin(pod.uid))};
  losses_.try_emplace(key.uid,
                      Loss{key, {key.namespace_name, pod.pod_group}, pod.node, why, cycle_});
  bound_.erase(key.uid);
  engine_.RemovePod(pod.uid);
  engine_.PutPod(CreatedAgain(pod, now_, cycle_));
}

// Pods that were terminating at the start are gone after a cycle, unless they are stuck.
void Future::RemoveTerminated() {
  std::vector<std::string> gone;
  for (const PodSpec& pod : objects().pods()) {
    const bool stuck =
        pod.deletion && now_ - *pod.deletion > engine_.configuration().stuck_in_releasing_threshold;
    if (!pod.uid.empty() && pod.status == TaskStatus::kReleasing && !stuck) gone.push_back(pod.uid);
  }
  for (const std::string& uid : gone) engine_.RemovePod(uid);
}

// Pods outside of groups are those of other schedulers and of DaemonSets: they stay with the node.
void Future::EvictFrom(const std::string& node, const std::string& why, bool with_single) {
  for (const PodSpec& pod : PodsOn(objects(), node)) {
    if (!pod.pod_group.empty() && IsPlaced(pod)) {
      Evict(pod, why);
    } else if (with_single) {
      engine_.RemovePod(pod.uid);
    }
  }
}

void Future::Cordon(const std::string& node, bool drain) {
  NodeSpec spec = *objects().Find<NodeSpec>("", node);
  spec.unschedulable = true;
  engine_.PutNode(spec);
  if (drain) EvictFrom(node, fmt::format("node {} is drained", node), false);
}

void Future::Fail(const std::string& node) {
  EvictFrom(node, fmt::format("node {} fails", node), true);
  engine_.RemoveNode(node);
}

void Future::Finish(const InputKey& group) {
  std::vector<std::string> ended;
  for (const PodSpec& pod : objects().pods()) {
    const bool own = pod.pod_group == group.second && !pod.uid.empty() &&
                     pod.shape->namespace_name == group.first;
    if (own) ended.push_back(pod.uid);
  }
  for (const std::string& uid : ended) engine_.RemovePod(uid);
}

std::map<std::string, std::string> Future::Places() const {
  std::map<std::string, std::string> places;
  for (const PodSpec& pod : objects().pods()) {
    if (IsPlaced(pod)) places[std::string(Origin(pod.uid))] = pod.node;
  }
  return places;
}

}  // namespace coppice::engine
