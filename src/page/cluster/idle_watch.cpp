#include "page/cluster/idle_watch.h"

#include <mutex>

namespace coppice::page {
namespace {

struct IdleState {
  // Recursive: the sink may end the watch from within the call.
  std::recursive_mutex mutex;
  kube::WatchSink* sink;  // Null once the watch is over.
};

class IdleWatch final : public kube::Watch {
 public:
  explicit IdleWatch(std::shared_ptr<IdleState> state) : state_(std::move(state)) {}
  ~IdleWatch() override {
    std::lock_guard lock(state_->mutex);
    state_->sink = nullptr;
  }

 private:
  const std::shared_ptr<IdleState> state_;
};

void EndWatch(IdleState& state) {
  std::lock_guard lock(state.mutex);
  kube::WatchSink* const sink = std::exchange(state.sink, nullptr);
  if (sink != nullptr) sink->OnEnd(base::Error(base::ErrorCode::kGone, "time to list again"));
}

}  // namespace

std::unique_ptr<kube::Watch> MakeIdleWatch(kube::WatchSink& sink, kube::TaskScope& scope,
                                           base::Duration lasts) {
  auto state = std::make_shared<IdleState>();
  state->sink = &sink;
  if (lasts > base::Duration::zero()) {
    scope.PostAfter(lasts, [state] { EndWatch(*state); });
  }
  return std::make_unique<IdleWatch>(state);
}

}  // namespace coppice::page
