#pragma once

#include <memory>

#include "kube/executor/executor.h"
#include "kube/executor/gate.h"

namespace coppice::kube {

// Posts an object's tasks so that none of them outlives it: once closed, tasks that have not begun
// never run, and those running have ended when Close returns. Put it last among the members, so
// that it goes first. Thread-safe.
//
//   scope_.Post([this] { Work(); });
class TaskScope {
 public:
  explicit TaskScope(Executor& executor) : executor_(executor) {}
  ~TaskScope() { Close(); }
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;

  Executor& executor() const { return executor_; }
  base::Instant Elapsed() const { return executor_.Elapsed(); }
  void Post(Executor::Task task) { executor_.Post(Wrap(std::move(task))); }
  Executor::TimerId PostAfter(base::Duration delay, Executor::Task task) {
    return executor_.PostAfter(delay, Wrap(std::move(task)));
  }
  bool Cancel(Executor::TimerId timer) { return executor_.Cancel(timer); }
  // The task, bound to this scope, for use with another poster.
  Executor::Task Wrap(Executor::Task task) const;

  // May be called from within one of the scope's own tasks, which it does not wait for.
  void Close() { gate_->Close(); }
  bool closed() const { return gate_->closed(); }

 private:
  Executor& executor_;
  // Shared with tasks that still sit in the executor when this object is gone.
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
};

inline Executor::Task TaskScope::Wrap(Executor::Task task) const {
  return [gate = gate_, task = std::move(task)] {
    if (Gate::Pass pass(*gate); pass) task();
  };
}

}  // namespace coppice::kube
