#include "backends/framework/events.h"

#include <fmt/format.h>

#include "api/well_known.h"

namespace coppice::backends {
namespace {

using json::Value;

// Events of the newer API have no lastTimestamp.
std::string_view LastSeen(const Value& event) {
  const std::string_view repeated = event["series"]["lastObservedTime"].AsString();
  if (!repeated.empty()) return repeated;
  return event["lastTimestamp"].AsString(event["eventTime"].AsString());
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
    if (event["reason"].AsString() != reason) continue;
    if (newest.IsNull() || LastSeen(newest) <= LastSeen(event)) newest = std::move(event);
  }
  return newest;
}

}  // namespace coppice::backends
