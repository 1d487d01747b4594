#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "kube/executor/executor.h"
#include "server/core/watch_cursor.h"
#include "server/wire/respond.h"

namespace coppice::server {

// Sends a watch's events over HTTP, one JSON document per line or protobuf frame each, until the
// client disconnects, the timeout expires or the history is lost. Reads only as fast as the client
// does.
class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(Call call, ServedPtr served, std::unique_ptr<WatchCursor> cursor, bool bookmarks,
              kube::Executor& executor);

  // `on_stop` is called once, when the stream has ended.
  void Start(std::chrono::seconds timeout, std::function<void()> on_stop);
  // Ends the response. Nothing is sent afterwards.
  void Stop();

 private:
  void Wake();
  void Run();
  // True when there may be more.
  bool Deliver();
  bool WaitForDrain();
  std::string Line(const WatchCursor::Item& item);
  std::string Event(std::string_view type, const json::Value& object) const;
  void ScheduleBookmark();
  bool TakeBookmarkDue();

  const Call call_;
  const ServedPtr served_;
  const std::unique_ptr<WatchCursor> cursor_;  // Used by the one task that runs.
  const bool bookmarks_;
  kube::Executor& executor_;
  store::Store::SubscriptionId subscription_ = 0;
  // Of the one task that runs, as the cursor.
  bool columns_sent_ = false;
  std::deque<WatchCursor::Item> items_;  // Read and not yet written.
  bool more_ = false;                    // The cursor had more.

  std::mutex mutex_;  // Guards all below.
  bool stopped_ = false;
  bool scheduled_ = false;
  bool again_ = false;
  bool bookmark_due_ = false;
  kube::Executor::TimerId timer_ = 0;
  std::function<void()> on_stop_;
};

}  // namespace coppice::server
