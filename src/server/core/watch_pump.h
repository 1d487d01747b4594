#pragma once

#include <memory>

#include "kube/client/client.h"
#include "kube/executor/executor.h"
#include "server/core/watch_cursor.h"

namespace coppice::server {

// Delivers a cursor's events to a sink in tasks on an executor, so the writer that causes an event
// never runs the consumer's code. One event at a time; pumps are independent, so a stepper
// interleaves different watches.
class WatchPump final : public kube::Watch {
 public:
  WatchPump(std::unique_ptr<WatchCursor> cursor, bool bookmarks, kube::WatchSink& sink,
            kube::Executor& executor);
  ~WatchPump() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace coppice::server
