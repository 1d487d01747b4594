#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "kube/executor/executor.h"
#include "kube/executor/task_scope.h"

namespace coppice::server {

// A queue of keys, each processed at most once at a time, by tasks on an executor; failed work is
// retried after a delay. Keys added before Start are queued. Thread-safe.
class WorkSet {
 public:
  // False requests a retry.
  using Worker = std::function<bool(const std::string& key)>;

  explicit WorkSet(Worker worker) : worker_(std::move(worker)) {}

  void Start(kube::Executor& executor);
  void Add(std::string key);
  void AddAfter(std::string key, base::Duration delay);
  // No worker runs when it returns.
  void Stop();

 private:
  void Run();
  void Post();

  const Worker worker_;
  std::mutex mutex_;  // Guards all below but scope_, which is set once.
  std::deque<std::string> queue_;
  std::set<std::string> queued_;
  bool running_ = false;
  std::unique_ptr<kube::TaskScope> scope_;
};

}  // namespace coppice::server
