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

// The replicas of each set that changed since its last pass, so that a pass costs what has changed
// and not what the set is made of. A change that does not belong to one replica makes all of them
// dirty, and so does a pass that failed or asked to be repeated. Thread-safe.
//
//   dirty.MarkDirty(set, replica);  // Before the controller is woken.
//   const Scope scope = dirty.Take(set, now);  // Before anything is read.
//   …
//   const auto again = dirty.Reconciled(set, outcome, now);  // When to come back at the latest.
class DirtyReplicas {
 public:
  void MarkDirty(const api::ObjectKey& set, std::optional<int> replica);
  Scope Take(const api::ObjectKey& set, base::Instant now);
  std::optional<base::Duration> Reconciled(const api::ObjectKey& set, const StepOutcome& outcome,
                                           base::Instant now);
  // The set is gone.
  void Forget(const api::ObjectKey& set);

 private:
  struct Dirty {
    bool all = true;
    std::set<int> replicas;
    std::optional<base::Instant> due;  // When a pass over everything was asked for.
  };

  std::mutex mutex_;  // Guards sets_.
  std::map<api::ObjectKey, Dirty> sets_;
};

}  // namespace coppice::operators::podcliqueset
