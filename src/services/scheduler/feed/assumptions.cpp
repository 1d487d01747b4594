#include "services/scheduler/feed/assumptions.h"

namespace coppice::services::scheduler {

void Assumptions::AssumeBound(const engine::BindDecision& decision) {
  engine::BindRequestSpec request{decision.pod.namespace_name,
                                  decision.pod.name,
                                  decision.node,
                                  decision.gpu_groups,
                                  decision.Extras().claim_allocations,
                                  decision.Extras().extended_claim_allocation,
                                  decision.Extras().numa_zones};
  std::lock_guard lock(mutex_);
  if (!request.claim_allocations.empty() || request.extended_claim_allocation) {
    allocations_[decision.pod.uid] = {request.claim_allocations, request.extended_claim_allocation};
  }
  binds_[{decision.pod.namespace_name, decision.pod.name}] = {decision.pod.uid, std::move(request)};
}

void Assumptions::ForgetBound(const api::ObjectKey& pod) {
  std::lock_guard lock(mutex_);
  binds_.erase(pod);
}

std::optional<engine::BindRequestSpec> Assumptions::Bound(const api::ObjectKey& pod,
                                                          std::string_view uid) const {
  std::lock_guard lock(mutex_);
  const auto found = binds_.find(pod);
  if (found == binds_.end() || found->second.uid != uid) return std::nullopt;
  return found->second.request;
}

Assumptions::Devices Assumptions::Allocated(const std::string& pod_uid) const {
  std::lock_guard lock(mutex_);
  const auto found = allocations_.find(pod_uid);
  if (found == allocations_.end()) return {};
  return found->second;
}

void Assumptions::ForgetAllocated(const std::string& pod_uid) {
  std::lock_guard lock(mutex_);
  allocations_.erase(pod_uid);
}

void Assumptions::ForgetPod(const std::string& pod_uid) {
  std::lock_guard lock(mutex_);
  allocations_.erase(pod_uid);
  evictions_.erase(pod_uid);
}

void Assumptions::AssumeEvicted(const std::string& pod_uid, base::Time now) {
  std::lock_guard lock(mutex_);
  evictions_.emplace(pod_uid, now);
}

void Assumptions::ForgetEvicted(const std::string& pod_uid) {
  std::lock_guard lock(mutex_);
  evictions_.erase(pod_uid);
}

std::optional<base::Time> Assumptions::Evicted(const std::string& pod_uid) const {
  std::lock_guard lock(mutex_);
  const auto found = evictions_.find(pod_uid);
  if (found == evictions_.end()) return std::nullopt;
  return found->second;
}

void Assumptions::Record(const engine::GroupStatus& status) {
  std::lock_guard lock(mutex_);
  groups_[{status.group.namespace_name, status.group.name}] = {
      status.last_start, status.last_eviction, status.stale_since};
}

void Assumptions::ForgetGroup(const api::ObjectKey& group) {
  std::lock_guard lock(mutex_);
  groups_.erase(group);
}

void Assumptions::Overlay(engine::PodGroupSpec& group,
                          const engine::Compatibility& compatibility) const {
  std::lock_guard lock(mutex_);
  const auto found = groups_.find({group.namespace_name, group.name});
  if (found == groups_.end()) return;
  group.last_start = found->second.last_start;
  if (!compatibility.Keeps(engine::Quirk::kEvictionOverlay)) {
    group.last_eviction = found->second.last_eviction;
  }
  group.stale_since = found->second.stale_since;
}

}  // namespace coppice::services::scheduler
