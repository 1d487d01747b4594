#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "kube/executor.h"

namespace coppice::kube {

// An executor for production: a pool of threads on the real clock. Threads are started as tasks
// need them, up to a limit; a task that blocks on a client call keeps its thread, so the limit
// bounds how many calls are under way at once. Thread-safe.
class ThreadExecutor final : public Executor {
 public:
  struct Options {
    size_t max_threads = 64;
  };

  ThreadExecutor() : ThreadExecutor(Options{}) {}
  explicit ThreadExecutor(Options options);
  // Stops.
  ~ThreadExecutor() override;

  const base::Clock& clock() const override { return clock_; }
  void Post(Task task) override;
  TimerId PostAfter(base::Duration delay, Task task) override;
  bool Cancel(TimerId timer) override;

  // Forgets timers, takes no more tasks, runs those already posted and joins all threads. Not to
  // be called from a task.
  void Stop();
  size_t thread_count() const;

 private:
  using TimerKey = std::pair<std::chrono::steady_clock::time_point, TimerId>;

  void PostLocked(Task task);
  void WakeLocked();
  void AwaitTaskLocked(std::unique_lock<std::mutex>& lock);
  void Work();
  void FireTimers();
  void FireDueLocked();

  const Options options_;
  const base::RealClock clock_;

  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable work_;
  std::condition_variable timer_changed_;
  std::deque<Task> tasks_;
  std::map<TimerKey, Task> timers_;
  std::unordered_map<TimerId, TimerKey> timer_keys_;
  TimerId next_timer_ = 1;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool waking_ = false;  // A thread was woken and has not looked for a task yet.
  bool stopped_ = false;
  std::thread timer_thread_;
};

}  // namespace coppice::kube
