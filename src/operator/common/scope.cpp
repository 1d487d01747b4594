#include "operator/common/scope.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace coppice::operators::podcliqueset {

std::vector<int> Scope::Of(int count) const {
  if (replicas_) return {replicas_->begin(), replicas_->lower_bound(count)};
  std::vector<int> every(static_cast<size_t>(std::max(count, 0)));
  std::iota(every.begin(), every.end(), 0);
  return every;
}

void News::Hear(const api::ObjectKey& set, std::optional<int> replica) {
  const std::lock_guard lock(mutex_);
  Heard& heard = heard_[set];
  if (replica) {
    heard.replicas.insert(*replica);
  } else {
    heard.all = true;
  }
}

Scope News::Take(const api::ObjectKey& set, base::Instant now) {
  const std::lock_guard lock(mutex_);
  Heard& heard = heard_[set];
  std::set<int> replicas = std::exchange(heard.replicas, {});
  if (!std::exchange(heard.all, false) && !(heard.due && *heard.due <= now)) {
    return Scope::Only(std::move(replicas));
  }
  heard.due.reset();
  return Scope::All();
}

std::optional<base::Duration> News::Passed(const api::ObjectKey& set, const StepOutcome& outcome,
                                           base::Instant now) {
  const std::lock_guard lock(mutex_);
  Heard& heard = heard_[set];
  if (!outcome.proceeds()) heard.all = true;
  if (outcome.after()) {
    const base::Instant due = now + *outcome.after();
    heard.due = heard.due ? std::min(*heard.due, due) : due;
  }
  if (!heard.due) return std::nullopt;
  return *heard.due - now;
}

void News::Forget(const api::ObjectKey& set) {
  const std::lock_guard lock(mutex_);
  heard_.erase(set);
}

}  // namespace coppice::operators::podcliqueset
