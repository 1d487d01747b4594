#include "backends/framework/events.h"

#include <fmt/format.h>

#include "api/view/core.h"
#include "api/well_known.h"

namespace coppice::backends {
namespace {

using json::Value;

// Events of the newer API have no lastTimestamp.
std::string_view LastSeen(view::core::Event event) {
  const std::string_view repeated = event.series().lastObservedTime();
  if (!repeated.empty()) return repeated;
  return event.lastTimestamp().empty() ? event.eventTime() : event.lastTimestamp();
}

}  // namespace

ResourceUse EventsOf(std::string_view reason) {
  return {.resource = api::kEvents,
          .fields = {},
          .canary = {},
          .documents = {},
          .field_selector = fmt::format("reason={}", reason)};
}

Value NewestEvent(const GangInput& input, std::string_view uid, std::string_view reason) {
  Value newest;
  if (!input.cluster || uid.empty()) return newest;
  for (Value& event : input.cluster->EventsAbout(uid)) {
    using view::core::Event;
    if (Event(event).reason() != reason) continue;
    if (newest.IsNull() || LastSeen(Event(newest)) <= LastSeen(Event(event))) {
      newest = std::move(event);
    }
  }
  return newest;
}

}  // namespace coppice::backends
