#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "api/resource.h"
#include "base/clock.h"
#include "operator/common/scope.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podcliqueset {

// Tracks which replicas of each set changed since its last reconcile, so that the cost of a
// reconcile depends on what changed and not on the size of the set. A change that does not belong
// to one replica marks all of them dirty, and so does a reconcile that failed or asked to be
// requeued. Thread-safe.
//
//   dirty.MarkDirty(set, replica);  // Before the set is enqueued.
//   const Scope scope = dirty.Take(set, now);  // Before anything is read.
//   …
//   const auto again = dirty.Reconciled(set, outcome, now);  // When to requeue at the latest.
class DirtyReplicas {
 public:
  void MarkDirty(const api::ObjectKey& set, std::optional<int> replica);
  Scope Take(const api::ObjectKey& set, base::Instant now);
  std::optional<base::Duration> Reconciled(const api::ObjectKey& set, const StepOutcome& outcome,
                                           base::Instant now);
  // Call when the set is gone.
  void Forget(const api::ObjectKey& set);

 private:
  struct Dirty {
    bool all = true;
    std::set<int> replicas;
    std::optional<base::Instant> due;  // When to reconcile all replicas.
  };

  std::mutex mutex_;  // Guards sets_.
  std::map<api::ObjectKey, Dirty> sets_;
};

}  // namespace coppice::operators::podcliqueset
