#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "kube/controller.h"
#include "kube/metrics.h"
#include "kube/reconciler.h"
#include "kube/work_queue.h"

namespace coppice::kube {

// Works on a controller's keys: as many tasks on the executor as there are keys ready, at most
// `workers` of them, and one while urgent keys wait and none of them is here; no thread waits for
// work. Thread-safe.
class ControllerRunner {
 public:
  struct Shared {
    Executor& executor;
    Backoff backoff;
    Metrics& metrics;
    Urgency& urgency;
    std::function<void()> on_relief;  // The last urgent key was taken: all may go on.
  };
  ControllerRunner(ControllerSpec spec, std::unique_ptr<Reconciler> reconciler, Shared shared);
  ~ControllerRunner() { Stop(); }

  const std::string& name() const { return spec_.name; }
  // Has the watched informers wake this controller; keys wait until Start. The informers must have
  // stopped before this object goes.
  void Watch(Cache& cache);
  void Enqueue(const ObjectKey& key) { queue_.Add(key); }
  void Start();
  // Works on what is ready, as far as it may.
  void Pump();
  // Keeps new reconciles from starting and returns when the running ones have ended.
  void Stop();
  // No key is ready or being worked on.
  bool idle() const;

 private:
  void OnChange(const WatchSpec& watch, const Change& change);
  bool MayStartLocked() const;
  std::optional<ObjectKey> Take();
  void WorkOnOne();
  void Reconcile(const ObjectKey& key);
  void Settle(const ObjectKey& key, const base::Result<Requeue>& result);
  void Retry(const ObjectKey& key, const base::Error& error);
  void FreeSlot();

  const ControllerSpec spec_;
  const std::unique_ptr<Reconciler> reconciler_;
  Metrics& metrics_;
  Urgency& urgency_;
  const std::function<void()> on_relief_;
  const Labels labels_;
  const Labels succeeded_, put_off_, failed_;  // The same with the result of a reconcile.
  std::atomic<int> running_ = 0;

  mutable std::mutex mutex_;  // Guards the two below.
  int active_ = 0;            // Tasks posted or running.
  bool started_ = false;

  WorkQueue queue_;
  TaskScope scope_;
};

}  // namespace coppice::kube
