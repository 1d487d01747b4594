#pragma once

#include <string_view>

#include "json/value.h"

namespace coppice::kube {

// Writes Kubernetes events about objects. Equal events of one object are folded into one with a
// count, and writing happens off the caller's path: an event never fails or delays a reconcile.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `type` is "Normal" or "Warning"; `object` needs apiVersion, kind and metadata. `component`
  // overrides the manager's identity as the event's source when given.
  virtual void Event(const json::Value& object, std::string_view type, std::string_view reason,
                     std::string_view message, std::string_view component = {}) = 0;
  // The same with annotations on the event.
  virtual void AnnotatedEvent(const json::Value& object, std::string_view type,
                              std::string_view reason, std::string_view message,
                              std::string_view component, const json::Value& annotations) {
    (void)annotations;
    Event(object, type, reason, message, component);
  }
};

}  // namespace coppice::kube
