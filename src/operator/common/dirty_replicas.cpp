#include "operator/common/dirty_replicas.h"

#include <algorithm>
#include <utility>

namespace coppice::operators::podcliqueset {

void DirtyReplicas::MarkDirty(const api::ObjectKey& set, std::optional<int> replica) {
  const std::lock_guard lock(mutex_);
  Dirty& dirty = sets_[set];
  if (replica) {
    dirty.replicas.insert(*replica);
  } else {
    dirty.all = true;
  }
}

Scope DirtyReplicas::Take(const api::ObjectKey& set, base::Instant now) {
  const std::lock_guard lock(mutex_);
  Dirty& dirty = sets_[set];
  std::set<int> replicas = std::exchange(dirty.replicas, {});
  if (!std::exchange(dirty.all, false) && !(dirty.due && *dirty.due <= now)) {
    return Scope::Only(std::move(replicas));
  }
  dirty.due.reset();
  return Scope::All();
}

std::optional<base::Duration> DirtyReplicas::Reconciled(const api::ObjectKey& set,
                                                        const StepOutcome& outcome,
                                                        base::Instant now) {
  const std::lock_guard lock(mutex_);
  Dirty& dirty = sets_[set];
  if (!outcome.proceeds()) dirty.all = true;
  if (outcome.after()) {
    const base::Instant due = now + *outcome.after();
    dirty.due = dirty.due ? std::min(*dirty.due, due) : due;
  }
  if (!dirty.due) return std::nullopt;
  return *dirty.due - now;
}

void DirtyReplicas::Forget(const api::ObjectKey& set) {
  const std::lock_guard lock(mutex_);
  sets_.erase(set);
}

}  // namespace coppice::operators::podcliqueset
