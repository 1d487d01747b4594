#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "kube/events/event_lane.h"
#include "kube/events/events.h"

namespace coppice::kube {

// The event recorder: keeps a bounded queue and writes core/v1 events from the executor. Events of
// one object are written one after the other, in the order in which they happened; those of
// different objects at the same time, in a few lanes. Thread-safe.
class EventWriter final : public EventRecorder {
 public:
  using Options = EventOptions;

  EventWriter(Client& client, Executor& executor, Options options);
  ~EventWriter() override { Close(); }

  void Event(const json::Value& object, std::string_view type, std::string_view reason,
             std::string_view message, std::string_view component) override {
    AnnotatedEvent(object, type, reason, message, component, {});
  }
  void AnnotatedEvent(const json::Value& object, std::string_view type, std::string_view reason,
                      std::string_view message, std::string_view component,
                      const json::Value& annotations) override;
  // Drops what is queued, except what let urgent work pass, for which there are two seconds; and
  // returns when nothing is being written any more.
  void Close();

 private:
  const Options options_;
  Executor& executor_;
  std::atomic<size_t> waiting_ = 0;
  std::mutex mutex_;       // Makes sequence numbers follow the clock.
  uint64_t sequence_ = 0;  // Guarded by mutex_.
  std::vector<std::unique_ptr<EventLane>> lanes_;
};

}  // namespace coppice::kube
