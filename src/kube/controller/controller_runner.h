#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "kube/controller/controller.h"
#include "kube/controller/reconciler.h"
#include "kube/controller/work_queue.h"
#include "kube/metrics.h"

namespace coppice::kube {

// Processes a controller's keys: one task on the executor per ready key, up to `workers`; no thread
// waits for work. While work of a higher priority is in progress in the process, keys of lower
// priority are processed one at a time, those of kHigh after a short wait. After every few keys,
// one key of lower priority is processed, so nothing starves. Thread-safe.
class ControllerRunner {
 public:
  struct Shared {
    Executor& executor;
    Backoff backoff;
    Metrics& metrics;
    PriorityTracker& priorities;
  };
  ControllerRunner(ControllerSpec spec, std::unique_ptr<Reconciler> reconciler, Shared shared);
  ~ControllerRunner() { Stop(); }

  const std::string& name() const { return spec_.name; }
  // Subscribes to the watched informers; keys are queued until Start. The informers must have
  // stopped before this object is destroyed.
  void Watch(Cache& cache);
  void Enqueue(const ObjectKey& key, Priority priority) { queue_.Add(key, priority); }
  void Start();
  // Starts workers for ready keys, within the limits.
  void Pump();
  // Starts no new reconciles and returns when the running ones have ended.
  void Stop();
  // No key is ready or being processed.
  bool idle() const;

 private:
  void OnChange(const WatchSpec& watch, const Change& change);
  void Enqueue(const WatchSpec& watch, const json::Value& cause, Priority priority);
  // Why a worker started: its key has the highest priority; despite work of higher priority in
  // progress; or for a key of lower priority, against starvation. Keys of kNormal always count as
  // the second, because urgent keys may arrive at any time.
  enum class Kind { kInOrder, kYielding, kAgainstStarvation };
  std::optional<Kind> NextLocked();
  bool WaitsLocked(const WorkQueue::Front& front);
  std::optional<ObjectKey> Take(Kind kind);
  void WorkOnOne(Kind kind);
  void Reconcile(const ObjectKey& key);
  void Settle(const ObjectKey& key, const base::Result<Requeue>& result);
  void Retry(const ObjectKey& key, const base::Error& error);
  void FreeSlot(Kind kind);

  const ControllerSpec spec_;
  const std::unique_ptr<Reconciler> reconciler_;
  Metrics& metrics_;
  PriorityTracker& priorities_;
  const Labels labels_;
  const Labels succeeded_, put_off_, failed_;  // `labels_` plus the result of a reconcile.
  std::atomic<int> running_ = 0;

  mutable std::mutex mutex_;  // Guards all below.
  int active_ = 0;            // Tasks posted or running.
  int active_others_ = 0;     // Those whose kind is not kInOrder.
  int in_a_row_ = 0;          // Started since the last kAgainstStarvation.
  bool looks_again_ = false;  // A timer is set for a deferred key.
  bool started_ = false;

  WorkQueue queue_;
  TaskScope scope_;
};

}  // namespace coppice::kube
