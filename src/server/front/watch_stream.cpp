#include "server/front/watch_stream.h"

#include <fmt/format.h>

#include "json/write.h"
#include "server/model/conversion.h"
#include "server/protobuf/encode.h"

namespace coppice::server {
namespace {

constexpr size_t kEventsPerTask = 256;
constexpr size_t kBufferedBytes = 1 << 20;
constexpr const char* kTypes[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};

}  // namespace

WatchStream::WatchStream(Call call, ServedPtr served, std::unique_ptr<WatchCursor> cursor,
                         bool bookmarks, kube::Executor& executor)
    : call_(std::move(call)),
      served_(std::move(served)),
      cursor_(std::move(cursor)),
      bookmarks_(bookmarks),
      executor_(executor) {}

void WatchStream::Start(std::chrono::seconds timeout, std::function<void()> on_stop) {
  const char* const type = call_.form.format == BodyFormat::kProtobuf
                               ? "application/vnd.kubernetes.protobuf;stream=watch"
                               : "application/json";
  call_.writer->Start(200, {{"content-type", type}, {"cache-control", "no-cache, private"}});
  const std::weak_ptr<WatchStream> weak = weak_from_this();
  subscription_ = cursor_->store().Subscribe(cursor_->storage(), [weak] {
    if (const auto self = weak.lock()) self->Wake();
  });
  call_.writer->OnClosed([weak] {
    if (const auto self = weak.lock()) self->Stop();
  });
  {
    std::lock_guard lock(mutex_);
    on_stop_ = std::move(on_stop);
    timer_ = executor_.PostAfter(timeout, [weak] {
      if (const auto self = weak.lock()) self->Stop();
    });
  }
  Wake();
  if (bookmarks_) ScheduleBookmark();
}

void WatchStream::Stop() {
  std::function<void()> on_stop;
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopped_ = true;
    on_stop = std::move(on_stop_);
    executor_.Cancel(timer_);
  }
  cursor_->store().Unsubscribe(cursor_->storage(), subscription_);
  call_.writer->Finish();
  if (on_stop) on_stop();
}

void WatchStream::Wake() {
  std::lock_guard lock(mutex_);
  if (stopped_) return;
  if (scheduled_) {
    again_ = true;
    return;
  }
  scheduled_ = true;
  executor_.Post([self = shared_from_this()] { self->Run(); });
}

void WatchStream::Run() {
  const bool more = !WaitForDrain() && Deliver();
  std::lock_guard lock(mutex_);
  if (stopped_) return;
  if (more || again_) {
    again_ = false;
    executor_.Post([self = shared_from_this()] { self->Run(); });
  } else {
    scheduled_ = false;
  }
}

// True when the client has enough to read for now; it wakes the stream when it wants more.
bool WatchStream::WaitForDrain() {
  if (call_.writer->Buffered() < kBufferedBytes) return false;
  {
    std::lock_guard lock(mutex_);
    again_ = false;
  }
  call_.writer->OnDrained([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Wake();
  });
  return true;
}

bool WatchStream::Deliver() {
  if (items_.empty()) {
    base::Result<std::vector<WatchCursor::Item>> items = cursor_->Next(kEventsPerTask);
    if (!items) {
      call_.writer->Write(Event("ERROR", StatusOf(items.error())));
      Stop();
      return false;
    }
    more_ = items->size() >= kEventsPerTask;
    items_.assign(items->begin(), items->end());
  }
  // Objects can be large: what the client has no room for stays with the store.
  std::string lines;
  while (!items_.empty() && lines.size() < kBufferedBytes) {
    lines += Line(items_.front());
    items_.pop_front();
  }
  const bool more = more_ || !items_.empty();
  if (!more && TakeBookmarkDue()) {
    if (const std::optional<WatchCursor::Item> bookmark = cursor_->Bookmark()) {
      lines += Line(*bookmark);
    }
  }
  if (!lines.empty() && !call_.writer->Write(http::MakeBytes(std::move(lines)))) {
    Stop();
    return false;
  }
  return more;
}

std::string WatchStream::Line(const WatchCursor::Item& item) {
  const char* const type = kTypes[static_cast<int>(item.type)];
  if (call_.form.shape != Shape::kObject) {
    const bool columns = !columns_sent_;
    columns_sent_ = true;
    return Event(type, Reshape(call_.form, *served_, item.object, columns,
                               call_.http.query.Get("includeObject"), executor_.Now()));
  }
  const bool has_bytes = item.version && IsStoredVersion(*served_);
  if (!has_bytes || call_.form.format == BodyFormat::kProtobuf) return Event(type, item.object);
  return fmt::format(R"({{"type":"{}","object":{}}})", type, *item.version->bytes()) + "\n";
}

std::string WatchStream::Event(std::string_view type, const json::Value& object) const {
  if (call_.form.format == BodyFormat::kProtobuf) {
    auto frame = EncodeWatchFrame(type, object);
    if (frame) return *std::move(frame);
  }
  return fmt::format(R"({{"type":"{}","object":{}}})", type, json::Write(object)) + "\n";
}

void WatchStream::ScheduleBookmark() {
  executor_.PostAfter(kBookmarkInterval, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    {
      std::lock_guard lock(self->mutex_);
      if (self->stopped_) return;
      self->bookmark_due_ = true;
    }
    self->Wake();
    self->ScheduleBookmark();
  });
}

bool WatchStream::TakeBookmarkDue() {
  std::lock_guard lock(mutex_);
  return std::exchange(bookmark_due_, false);
}

}  // namespace coppice::server
