#pragma once

#include <mutex>
#include <unordered_map>

#include "api/resource.h"
#include "base/clock.h"
#include "json/value.h"
#include "kube/executor/priority.h"

namespace coppice::kube {

// Debounces writes about objects, mostly of status: a controller asks how long to defer a write
// that nothing waits for, and writes later changes together with it. While work of a higher
// priority is in progress, writes are deferred longer, for up to PriorityTracker::kLongestDeferral.
// What is written must be derivable from the API: a process that stops in between loses nothing,
// because the next one derives it again. Thread-safe.
//
//   const base::Duration delay = debouncer.Delay(key, status, executor.Elapsed());
//   if (delay > base::Duration::zero()) return Requeue::After(delay);
//   Write(status);
class Debouncer {
 public:
  struct Options {
    // A write is due once its content has not changed for `quiet`, at the latest after `longest`.
    base::Duration quiet = std::chrono::milliseconds(100);
    base::Duration longest = std::chrono::milliseconds(500);
    // Null: nothing has a higher priority. Must outlive the debouncer.
    const PriorityTracker* priorities = nullptr;
    Priority priority = Priority::kNormal;
    // How soon to ask again while there is work of a higher priority. With many objects, later.
    base::Duration recheck = std::chrono::seconds(1);
  };
  explicit Debouncer(const Options& options) : options_(options) {}

  // How long to defer the write about this object; zero if it is due, which ends the deferral.
  // `content` that differs only in timestamps (members named …Time or …At) counts as unchanged.
  base::Duration Delay(const api::ObjectKey& key, const json::Value& content, base::Instant now);
  // The same for changes that do not start the quiet period again.
  base::Duration Delay(const api::ObjectKey& key, base::Instant now) { return Delay(key, {}, now); }
  // Whether a write is deferred that will include changes made now.
  bool IsPending(const api::ObjectKey& key) const;
  // Call when it is written without asking, nothing is left to write, or the object is gone.
  void Forget(const api::ObjectKey& key);
  // Reports the duration of a write: a slow server is written to less often.
  void Wrote(base::Duration took);
  size_t size() const;

 private:
  struct Pending {
    json::Value content;  // Without its times.
    base::Instant since;  // Of this content.
    base::Instant first;  // Of the first change that is not written.
  };

  base::Duration DelayLocked(const Pending& pending, base::Instant now);
  bool YieldsLocked(base::Instant first, base::Instant now);
  base::Duration RecheckLocked() const;

  const Options options_;
  mutable std::mutex mutex_;  // Guards all below.
  base::Duration slowest_{};  // The quiet period that the server's speed asks for.
  base::Instant busy_until_{};
  std::unordered_map<api::ObjectKey, Pending, api::ObjectKeyHash> pending_;
};

}  // namespace coppice::kube
