#include "kube/events/event_lane.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/key/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

constexpr int kAtATime = 16;
// How soon a deferred event is tried again.
constexpr base::Duration kEventRetry = std::chrono::milliseconds(50);

using base::ErrorCode;
using json::Value;

bool WorthRetrying(const base::Error& error) {
  return error.Is(ErrorCode::kUnavailable) || error.Is(ErrorCode::kTimeout) ||
         error.Is(ErrorCode::kTooManyRequests);
}

}  // namespace

void CountDropped(const EventOptions& options, const char* why) {
  if (options.metrics == nullptr) return;
  options.metrics->Increment("coppice_events_dropped_total", {{"reason", why}});
}

EventLane::EventLane(Client& client, Executor& executor, const EventOptions& options,
                     std::atomic<size_t>& waiting)
    : client_(client),
      options_(options),
      waiting_(waiting),
      strand_(executor),
      correlator_(options_.correlation),
      written_(options_.correlation.cache_size),
      scope_(executor) {}

void EventLane::Add(PendingEvent event) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(event));
    if (queue_.size() > 1) return;  // The event before this one will see to it.
  }
  strand_.Post(scope_.Wrap([this] { WriteSome(1); }));
}

// A few at a time: under load there are many events, and each task on a busy executor starts late.
void EventLane::WriteSome(int attempt) {
  waits_ = ShouldWait();
  if (waits_) {
    scope_.PostAfter(kEventRetry, [this, attempt] {
      strand_.Post(scope_.Wrap([this, attempt] { WriteSome(attempt); }));
    });
    return;
  }
  for (int i = 0; i < kAtATime; ++i) {
    if (!WriteNext(i == 0 ? attempt : 1)) return;
  }
  strand_.Post(scope_.Wrap([this] { WriteSome(1); }));
}

// None is dropped because others waited: they do so only while there is room for many more.
bool EventLane::ShouldWait() {
  if (options_.priorities == nullptr || !options_.priorities->AnyUrgent()) return false;
  if (waiting_ >= options_.queue_limit / 2) return false;
  std::lock_guard lock(mutex_);
  return options_.priorities->ShouldDefer(queue_.front().queued, scope_.Elapsed());
}

bool EventLane::WriteLate(base::Instant deadline) {
  for (bool more = waits_; more;) {
    if (scope_.Elapsed() >= deadline || !WriteFront()) return false;
    more = Finish();
  }
  waits_ = false;
  return true;
}

// The event stays at the front of the queue until it is written or given up. False when there is
// nothing more to do now.
bool EventLane::WriteNext(int attempt) {
  if (WriteFront()) return Finish();
  if (attempt >= options_.attempts) {
    CountDropped(options_, "unreachable");
    return Finish();
  }
  scope_.PostAfter(options_.retry_delay, [this, attempt] {
    strand_.Post(scope_.Wrap([this, attempt] { WriteSome(attempt + 1); }));
  });
  return false;
}

// False when it is worth another attempt.
bool EventLane::WriteFront() {
  PendingEvent event;
  {
    std::lock_guard lock(mutex_);
    event = queue_.front();
  }
  if (!correlated_) {
    correlated_ = correlator_.Correlate(
        {event.component, event.object, event.type, event.reason, event.message}, event.queued);
  }
  if (correlated_) return Write(event, *correlated_);
  CountDropped(options_, "spam");
  return true;
}

bool EventLane::Write(const PendingEvent& event, const EventCorrelator::Output& output) {
  Written& written = written_[output.key];
  base::Status status =
      written.count > 0 ? CountUp(event, output, written) : CreateNew(event, output, written);
  // The event expired on the server since.
  if (status.Is(ErrorCode::kNotFound) && written.count > 0) {
    status = CreateNew(event, output, written);
  }
  if (status) return true;
  if (WorthRetrying(status.error())) return false;
  CountDropped(options_, "refused");
  base::LogDebug("event refused", {{"reason", event.reason}, {"error", status.error().ToString()}});
  return true;
}

base::Status EventLane::CountUp(const PendingEvent& event, const EventCorrelator::Output& output,
                                Written& written) {
  using Key = key::core::Event;
  const Value patch = Value::Object({{Key::count, written.count + 1},
                                     {Key::lastTimestamp, base::FormatRfc3339(event.time)},
                                     {Key::message, output.message}});
  COPPICE_TRY(client_.Patch(api::kEvents, {written.ns, written.name}, PatchType::kMerge, patch));
  ++written.count;
  return {};
}

base::Status EventLane::CreateNew(const PendingEvent& event, const EventCorrelator::Output& output,
                                  Written& written) {
  Value document = Document(event, output);
  // Unique even when several events of an object fall on one instant of a virtual clock.
  const std::string name =
      fmt::format("{}.{:x}", view::core::ObjectReference(event.reference).name(),
                  static_cast<uint64_t>(event.time.time_since_epoch().count()) + event.sequence);
  edit::core::Event(document).metadata().set_name(name);
  COPPICE_TRY(client_.Create(api::kEvents, document));
  written = {std::string(Namespace(document)), name, 1};
  return {};
}

Value EventLane::Document(const PendingEvent& event, const EventCorrelator::Output& output) const {
  const std::string_view ns = view::core::ObjectReference(event.reference).namespace_();
  const std::string time = base::FormatRfc3339(event.time);
  Value document = NewObject(api::kEvents, ns.empty() ? "default" : ns, "");
  const edit::core::Event edit(document);
  edit.set_involvedObject(event.reference)
      .set_type(event.type)
      .set_reason(event.reason)
      .set_message(output.message)
      .set_firstTimestamp(time)
      .set_lastTimestamp(time)
      .set_count(1)
      .set_reportingComponent(event.component)
      .set_reportingInstance(options_.instance);
  edit.source().set_component(event.component);
  if (!options_.instance.empty()) edit.source().set_host(options_.instance);
  if (!event.annotations.IsNull()) edit.metadata().set_annotations(event.annotations);
  return document;
}

// True when there is another event.
bool EventLane::Finish() {
  correlated_.reset();
  --waiting_;
  std::lock_guard lock(mutex_);
  queue_.pop_front();
  return !queue_.empty();
}

}  // namespace coppice::kube
