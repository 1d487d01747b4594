#pragma once

#include <condition_variable>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "kube/executor/executor.h"

namespace coppice::kube {

// An executor for production: a pool of threads on the real clock. Threads start on demand, up to a
// limit. A task that blocks on a client call keeps its thread, so the limit also bounds concurrent
// calls. Thread-safe.
//
// If tasks hardly ever block, more threads than processors only contend for locks: `at_once` limits
// how many run while tasks are short. For each task that takes long, because it blocks, one more
// thread runs.
class ThreadExecutor final : public Executor {
 public:
  struct Options {
    size_t max_threads = 64;
    size_t at_once = std::numeric_limits<size_t>::max();  // Threads that run short tasks.
  };

  ThreadExecutor() : ThreadExecutor(Options{}) {}
  explicit ThreadExecutor(Options options);
  // Stops.
  ~ThreadExecutor() override;

  const base::Clock& clock() const override { return clock_; }
  void Post(Task task) override;
  TimerId PostAfter(base::Duration delay, Task task) override;
  bool Cancel(TimerId timer) override;

  // Drops timers, rejects new tasks, runs those already posted and joins all threads. Must not be
  // called from a task.
  void Stop();
  size_t thread_count() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  using TimerKey = std::pair<TimePoint, TimerId>;
  // One thread of the pool.
  struct Worker {
    std::thread thread;
    uint64_t taken = 0;          // Tasks.
    uint64_t taken_at_look = 0;  // `taken` at the last check.
    bool busy = false;
    bool slow = false;  // Its task is long-running.
  };

  void PostLocked(Task task);
  bool MayStartLocked() const;
  void StartOneLocked();
  void AwaitTaskLocked(std::unique_lock<std::mutex>& lock);
  void Work(Worker& self);
  void RunTask(Worker& self, std::unique_lock<std::mutex>& lock);
  void FireTimers();
  std::optional<TimePoint> NextDueLocked() const;
  void FireDueLocked(TimePoint now);
  void LookLaterLocked();
  void LookForSlowOnesLocked(TimePoint now);

  const Options options_;
  const base::RealClock clock_;

  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable work_;
  std::condition_variable timer_changed_;
  std::deque<Task> tasks_;
  std::map<TimerKey, Task> timers_;
  std::unordered_map<TimerId, TimerKey> timer_keys_;
  TimerId next_timer_ = 1;
  std::vector<std::unique_ptr<Worker>> workers_;
  size_t idle_ = 0;
  size_t slow_ = 0;
  bool waking_ = false;  // A thread was woken and has not taken a task yet.
  // While tasks are queued: when to check next for long-running tasks.
  std::optional<TimePoint> look_;
  bool stopped_ = false;
  std::thread timer_thread_;
};

}  // namespace coppice::kube
