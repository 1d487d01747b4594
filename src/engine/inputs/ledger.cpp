#include "engine/inputs/ledger.h"

namespace coppice::engine {

// A pod that is put again keeps its place, and a new one takes the place that was freed last, as in
// the engine.
void Ledger::Put(const PodSpec& pod) {
  if (!pod.shape) return;
  const auto [found, added] = by_uid_.try_emplace(pod.uid, pods_.size());
  if (!added) {
    pods_[found->second] = pod;
  } else if (free_.empty()) {
    pods_.push_back(pod);
  } else {
    found->second = free_.back();
    free_.pop_back();
    pods_[found->second] = pod;
  }
}

void Ledger::RemovePod(std::string_view uid) {
  const auto found = by_uid_.find(std::string(uid));
  if (found == by_uid_.end()) return;
  pods_[found->second] = {};
  free_.push_back(found->second);
  by_uid_.erase(found);
}

const PodSpec* Ledger::FindPod(std::string_view uid) const {
  const auto found = by_uid_.find(std::string(uid));
  return found == by_uid_.end() ? nullptr : &pods_[found->second];
}

PodSpec* Ledger::PodOf(const PodKey& key) {
  const auto found = by_uid_.find(key.uid);
  return found == by_uid_.end() ? nullptr : &pods_[found->second];
}

void Ledger::SetLastStart(const InputKey& group, base::Time time) {
  auto& groups = std::get<Table<PodGroupSpec>>(tables_);
  if (const auto found = groups.find(group); found != groups.end()) {
    found->second.last_start = time;
  }
}

void Ledger::Settle(const CycleResult& result) {
  for (const BindDecision& bind : result.binds) {
    PodSpec* pod = PodOf(bind.pod);
    if (pod == nullptr) continue;
    const BindExtras& extras = bind.Extras();
    pod->status = TaskStatus::kBinding;
    ApplyBindRequest(
        {bind.pod.namespace_name, bind.pod.name, bind.node, bind.gpu_groups,
         extras.claim_allocations, extras.extended_claim_allocation, extras.numa_zones},
        *pod);
  }
  for (const EvictDecision& eviction : result.evictions) {
    if (PodSpec* pod = PodOf(eviction.pod)) pod->status = TaskStatus::kReleasing;
  }
  auto& groups = std::get<Table<PodGroupSpec>>(tables_);
  for (const GroupStatus& status : result.groups) {
    const auto found = groups.find({status.group.namespace_name, status.group.name});
    if (found == groups.end()) continue;
    found->second.last_start = status.last_start;
    found->second.last_eviction = status.last_eviction;
    found->second.stale_since = status.stale_since;
  }
}

}  // namespace coppice::engine
