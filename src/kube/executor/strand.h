#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "kube/executor/executor.h"

namespace coppice::kube {

// Runs tasks one at a time, in the order they were posted, on any executor. Tasks that are queued
// when the strand is destroyed still run: wrap them in a TaskScope where that matters.
// Thread-safe.
class Strand {
 public:
  explicit Strand(Executor& executor) : state_(std::make_shared<State>(executor)) {}

  void Post(Executor::Task task);

 private:
  struct State {
    explicit State(Executor& e) : executor(e) {}
    Executor& executor;
    std::mutex mutex;  // Guards all below.
    std::deque<Executor::Task> tasks;
    bool scheduled = false;
  };
  static void RunOne(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace coppice::kube
