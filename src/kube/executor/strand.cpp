#include "kube/executor/strand.h"

namespace coppice::kube {

void Strand::Post(Executor::Task task) {
  {
    std::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
    if (state_->scheduled) return;
    state_->scheduled = true;
  }
  state_->executor.Post([state = state_] { RunOne(state); });
}

// One task per turn, so that a busy strand does not keep a pool thread from others.
void Strand::RunOne(const std::shared_ptr<State>& state) {
  Executor::Task task;
  {
    std::lock_guard lock(state->mutex);
    task = std::move(state->tasks.front());
    state->tasks.pop_front();
  }
  task();
  task = nullptr;
  {
    std::lock_guard lock(state->mutex);
    state->scheduled = !state->tasks.empty();
    if (!state->scheduled) return;
  }
  state->executor.Post([state] { RunOne(state); });
}

}  // namespace coppice::kube
