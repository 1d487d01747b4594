#include "server/core/watch_pump.h"

#include <chrono>
#include <mutex>

#include "kube/executor/gate.h"

namespace coppice::server {
namespace {

constexpr size_t kEventsPerDelivery = 64;

}  // namespace

// Kept alive by its tasks, so that the pump may be destroyed from within a sink call.
struct WatchPump::State : std::enable_shared_from_this<State> {
  State(std::unique_ptr<WatchCursor> c, kube::WatchSink& s, kube::Executor& e)
      : cursor(std::move(c)), sink(s), executor(e) {}

  const std::unique_ptr<WatchCursor> cursor;  // Used by the one task that runs.
  kube::WatchSink& sink;
  kube::Executor& executor;
  kube::Gate gate;
  store::Store::SubscriptionId subscription = 0;

  std::mutex mutex;  // Guards all below.
  bool stopped = false;
  bool scheduled = false;
  bool again = false;
  bool bookmark_due = false;
  kube::Executor::TimerId bookmark_timer = 0;

  // At most one task runs; a wake-up meanwhile makes it run again.
  void Wake() {
    std::lock_guard lock(mutex);
    if (stopped) return;
    if (scheduled) {
      again = true;
      return;
    }
    scheduled = true;
    executor.Post([self = shared_from_this()] { self->Run(); });
  }

  void Run() {
    const kube::Gate::Pass pass(gate);
    if (!pass) return;
    const bool more = Deliver();
    std::lock_guard lock(mutex);
    if (stopped) return;
    if (more || again) {
      again = false;
      executor.Post([self = shared_from_this()] { self->Run(); });
    } else {
      scheduled = false;
    }
  }

  // True when there may be more to deliver.
  bool Deliver() {
    base::Result<std::vector<WatchCursor::Item>> items = cursor->Next(kEventsPerDelivery);
    if (!items) {
      End(items.error());
      return false;
    }
    const bool more = items->size() >= kEventsPerDelivery;
    for (WatchCursor::Item& item : *items) {
      if (gate.closed()) return false;
      sink.OnEvent({item.type, std::move(item.object)});
    }
    if (!more && TakeBookmarkDue() && !gate.closed()) {
      if (std::optional<WatchCursor::Item> bookmark = cursor->Bookmark()) {
        sink.OnEvent({bookmark->type, std::move(bookmark->object)});
      }
    }
    return more;
  }

  void End(const base::Error& reason) {
    {
      std::lock_guard lock(mutex);
      if (stopped) return;
      stopped = true;
    }
    sink.OnEnd(reason);
  }

  bool TakeBookmarkDue() {
    std::lock_guard lock(mutex);
    return std::exchange(bookmark_due, false);
  }

  void ScheduleBookmark() {
    std::lock_guard lock(mutex);
    if (stopped) return;
    bookmark_timer = executor.PostAfter(kBookmarkInterval, [weak = weak_from_this()] {
      const std::shared_ptr<State> self = weak.lock();
      if (!self) return;
      {
        std::lock_guard inner(self->mutex);
        self->bookmark_due = true;
      }
      self->Wake();
      self->ScheduleBookmark();
    });
  }

  void Stop() {
    cursor->store().Unsubscribe(cursor->storage(), subscription);
    {
      std::lock_guard lock(mutex);
      stopped = true;
      if (bookmark_timer != 0) executor.Cancel(bookmark_timer);
    }
    gate.Close();
  }
};

WatchPump::WatchPump(std::unique_ptr<WatchCursor> cursor, bool bookmarks, kube::WatchSink& sink,
                     kube::Executor& executor)
    : state_(std::make_shared<State>(std::move(cursor), sink, executor)) {
  state_->subscription = state_->cursor->store().Subscribe(state_->cursor->storage(),
                                                           [state = state_] { state->Wake(); });
  state_->Wake();
  if (bookmarks) state_->ScheduleBookmark();
}

WatchPump::~WatchPump() { state_->Stop(); }

}  // namespace coppice::server
