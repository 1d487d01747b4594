#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "api/resource.h"
#include "base/clock.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podcliqueset {

// The replicas of a set that a pass looks at: all, or some.
class Scope {
 public:
  static Scope All() { return Scope(); }
  static Scope Only(std::set<int> replicas) { return Scope(std::move(replicas)); }

  bool all() const { return !replicas_; }
  // Those of them that a set with `count` replicas has, in order.
  std::vector<int> Of(int count) const;

 private:
  Scope() = default;
  explicit Scope(std::set<int> replicas) : replicas_(std::move(replicas)) {}

  std::optional<std::set<int>> replicas_;
};

// What was heard of sets since their last pass, so that a pass costs what has changed and not what
// the set is made of. News that does not belong to one replica concerns all of them, and so does a
// pass that went wrong or that asked to be repeated. Thread-safe.
//
//   news.Hear(set, replica);  // Before the controller is woken.
//   const Scope scope = news.Take(set, now);  // Before anything is read.
//   …
//   const auto again = news.Passed(set, outcome, now);  // When to come back at the latest.
class News {
 public:
  void Hear(const api::ObjectKey& set, std::optional<int> replica);
  Scope Take(const api::ObjectKey& set, base::Instant now);
  std::optional<base::Duration> Passed(const api::ObjectKey& set, const StepOutcome& outcome,
                                       base::Instant now);
  // The set is gone.
  void Forget(const api::ObjectKey& set);

 private:
  struct Heard {
    bool all = true;
    std::set<int> replicas;
    std::optional<base::Instant> due;  // When a pass over everything was asked for.
  };

  std::mutex mutex_;  // Guards heard_.
  std::map<api::ObjectKey, Heard> heard_;
};

}  // namespace coppice::operators::podcliqueset
