#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "kube/controller/controller.h"
#include "kube/controller/reconciler.h"
#include "kube/controller/work_queue.h"
#include "kube/metrics.h"

namespace coppice::kube {

// Works on a controller's keys: as many tasks on the executor as there are keys ready, at most
// `workers` of them; no thread waits for work. While anything in the process comes before a key's
// turn, it is worked on alone, and what is to be done soon waits for a moment first; and after
// every few keys one of those behind them has its turn. Thread-safe.
class ControllerRunner {
 public:
  struct Shared {
    Executor& executor;
    Backoff backoff;
    Metrics& metrics;
    Urgency& urgency;
  };
  ControllerRunner(ControllerSpec spec, std::unique_ptr<Reconciler> reconciler, Shared shared);
  ~ControllerRunner() { Stop(); }

  const std::string& name() const { return spec_.name; }
  // Has the watched informers wake this controller; keys wait until Start. The informers must have
  // stopped before this object goes.
  void Watch(Cache& cache);
  void Enqueue(const ObjectKey& key, int priority) { queue_.Add(key, priority); }
  void Start();
  // Works on what is ready, as far as it may.
  void Pump();
  // Keeps new reconciles from starting and returns when the running ones have ended.
  void Stop();
  // No key is ready or being worked on.
  bool idle() const;

 private:
  void OnChange(const WatchSpec& watch, const Change& change);
  // How a worker came to be: in its turn, while others before it are under way, or for a key from
  // behind. Usual keys always count as the second, for urgent ones may come any time.
  enum class Kind { kInTurn, kYielding, kBehind };
  std::optional<Kind> NextLocked();
  bool WaitsLocked(const WorkQueue::Line& line);
  std::optional<ObjectKey> Take(Kind kind);
  void WorkOnOne(Kind kind);
  void Reconcile(const ObjectKey& key);
  void Settle(const ObjectKey& key, const base::Result<Requeue>& result);
  void Retry(const ObjectKey& key, const base::Error& error);
  void FreeSlot(Kind kind);

  const ControllerSpec spec_;
  const std::unique_ptr<Reconciler> reconciler_;
  Metrics& metrics_;
  Urgency& urgency_;
  const Labels labels_;
  const Labels succeeded_, put_off_, failed_;  // The same with the result of a reconcile.
  std::atomic<int> running_ = 0;

  mutable std::mutex mutex_;  // Guards all below.
  int active_ = 0;            // Tasks posted or running.
  int active_others_ = 0;     // Those of them that did not begin in their turn.
  int in_a_row_ = 0;          // Begun since the last one from behind.
  bool looks_again_ = false;  // A timer is set for a key that waits.
  bool started_ = false;

  WorkQueue queue_;
  TaskScope scope_;
};

}  // namespace coppice::kube
