#pragma once

#include <map>
#include <mutex>

#include "api/resource.h"
#include "base/clock.h"
#include "json/value.h"
#include "kube/executor/urgency.h"

namespace coppice::kube {

// Folds status writes that follow each other closely into one. A controller that computes a new
// status nobody waits for asks how long to let it rest; changes meanwhile are told together. A
// process that stops in between loses nothing: the next one computes the same status again.
// Thread-safe.
//
//   const base::Duration wait = pacer.Rest(key, status, executor.Now());
//   if (wait > base::Duration::zero()) return Requeue::After(wait);
//   Write(status);
//   pacer.Forget(key);
class StatusPacer {
 public:
  struct Options {
    // A status is told once it has been the same for `quiet`, and at the latest after `longest`.
    base::Duration quiet = std::chrono::milliseconds(100);
    base::Duration longest = std::chrono::milliseconds(500);
    // While there is some that comes before this turn, it lets that pass for up to ten seconds.
    const Urgency* urgency = nullptr;
    Turn turn = Turn::kUsual;
  };
  explicit StatusPacer(const Options& options) : options_(options) {}

  // How long the write should still rest; zero when it is due. Statuses that differ in times alone
  // (members called …Time or …At) count as the same.
  base::Duration Rest(const api::ObjectKey& key, const json::Value& status, base::Instant now);
  // The status was written, there is nothing to write any more, or the object is gone.
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
