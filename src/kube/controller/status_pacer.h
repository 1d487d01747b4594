#pragma once

#include <map>
#include <mutex>

#include "api/resource.h"
#include "base/clock.h"
#include "json/value.h"
#include "kube/executor/priority.h"

namespace coppice::kube {

// Debounces status writes. A controller that computes a new status that nothing waits for asks how
// long to defer it; later changes are then written together. A process that stops in between loses
// nothing: the next one computes the same status again. Thread-safe.
//
//   const base::Duration wait = pacer.Rest(key, status, executor.Now());
//   if (wait > base::Duration::zero()) return Requeue::After(wait);
//   Write(status);
//   pacer.Forget(key);
class StatusPacer {
 public:
  struct Options {
    // A status is written once it has been unchanged for `quiet`, at the latest after `longest`.
    base::Duration quiet = std::chrono::milliseconds(100);
    base::Duration longest = std::chrono::milliseconds(500);
    // While work of a higher priority than `turn` is in progress, the write is deferred for up to
    // ten seconds.
    const PriorityTracker* priorities = nullptr;
    Priority priority = Priority::kNormal;
  };
  explicit StatusPacer(const Options& options) : options_(options) {}

  // How long to defer the write; zero if it is due. Statuses that differ only in timestamps
  // (members named …Time or …At) count as unchanged.
  base::Duration Rest(const api::ObjectKey& key, const json::Value& status, base::Instant now);
  // Call when the status was written, there is nothing left to write, or the object is gone.
  void Forget(const api::ObjectKey& key);
  size_t size() const;

 private:
  struct Resting {
    json::Value status;     // Without its times.
    base::Instant since;    // Of this status.
    base::Instant started;  // Of the first one that was not written.
  };

  const Options options_;
  mutable std::mutex mutex_;  // Guards resting_.
  std::map<api::ObjectKey, Resting> resting_;
};

}  // namespace coppice::kube
