#include "kube/events/event_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "api/key/any.h"
#include "api/key/core.h"
#include "api/key/meta.h"
#include "api/view/any.h"
#include "api/view/core.h"

namespace coppice::kube {
namespace {

using json::Value;

// How long an exiting process keeps writing deferred events.
constexpr base::Duration kLongestGoodbye = std::chrono::seconds(2);

Value ReferenceTo(const Value& object) {
  Value reference = Value::Object();
  const auto set = [&](std::string_view key, const Value& value) {
    if (!value.IsNull()) reference.Set(key, value);
  };
  using Key = key::core::ObjectReference;
  using MetaKey = key::meta::ObjectMeta;
  const Value& metadata = view::any::Object(object).metadata().Json();
  set(Key::apiVersion, object[key::any::Object::apiVersion]);
  set(Key::kind, object[key::any::Object::kind]);
  set(Key::namespace_, metadata[MetaKey::namespace_]);
  set(Key::name, metadata[MetaKey::name]);
  set(Key::uid, metadata[MetaKey::uid]);
  set(Key::resourceVersion, metadata[MetaKey::resourceVersion]);
  return reference;
}

std::string ObjectText(view::core::ObjectReference reference) {
  return fmt::format("{}/{}/{}/{}/{}", reference.apiVersion(), reference.kind(),
                     reference.namespace_(), reference.name(), reference.uid());
}

// What a recorder remembers of the past is divided among its lanes.
EventOptions Divided(EventOptions options) {
  options.lanes = std::max<size_t>(1, options.lanes);
  options.correlation.cache_size =
      std::max<size_t>(1, options.correlation.cache_size / options.lanes);
  return options;
}

}  // namespace

EventWriter::EventWriter(Client& client, Executor& executor, Options options)
    : options_(Divided(std::move(options))), executor_(executor) {
  for (size_t i = 0; i < options_.lanes; ++i) {
    lanes_.push_back(std::make_unique<EventLane>(client, executor, options_, waiting_));
  }
  if (options_.metrics == nullptr) return;
  options_.metrics->Describe("coppice_events_dropped_total", "Events not written, by reason.");
}

void EventWriter::AnnotatedEvent(const Value& object, std::string_view type,
                                 std::string_view reason, std::string_view message,
                                 std::string_view component, const Value& annotations) {
  PendingEvent event{.reference = ReferenceTo(object),
                     .type = std::string(type),
                     .reason = std::string(reason),
                     .message = std::string(message),
                     .component = std::string(component.empty() ? options_.component : component),
                     .annotations = annotations};
  event.object = ObjectText(view::core::ObjectReference(event.reference));
  EventLane& lane = *lanes_[std::hash<std::string>()(event.object) % lanes_.size()];
  std::lock_guard lock(mutex_);
  if (waiting_ >= options_.queue_limit) return CountDropped(options_, "queue_full");
  ++waiting_;
  event.time = executor_.Now();
  event.queued = executor_.Elapsed();
  event.sequence = sequence_++;
  lane.Add(std::move(event));
}

void EventWriter::Close() {
  for (const auto& lane : lanes_) lane->Close();
  const base::Instant deadline = executor_.Elapsed() + kLongestGoodbye;
  for (const auto& lane : lanes_) {
    if (!lane->WriteLate(deadline)) return;
  }
}

}  // namespace coppice::kube
