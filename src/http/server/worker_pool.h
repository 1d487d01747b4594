#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace coppice::http {

// Threads that run tasks in the order they came. Thread-safe.
class WorkerPool {
 public:
  using Task = std::function<void()>;

  WorkerPool(int threads, size_t max_queued);
  ~WorkerPool() { Stop(); }

  // False when the queue is full or the pool stops.
  bool TryPost(Task task) { return Enqueue(std::move(task), true); }
  // Ignores the limit, for tasks that others wait for.
  bool Post(Task task) { return Enqueue(std::move(task), false); }
  // Runs what is queued, then returns; later tasks are rejected.
  void Stop();

 private:
  bool Enqueue(Task task, bool limited);
  void Work();

  const size_t max_queued_;
  std::mutex mutex_;  // Guards queue_ and stopping_.
  std::condition_variable ready_;
  std::deque<Task> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace coppice::http
