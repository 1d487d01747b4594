#pragma once

#include <string_view>

#include "backends/framework/backend.h"

// For schedulers that report some gang states only as events.
namespace coppice::backends {

// A ResourceUse for events with this reason.
ResourceUse EventsOf(std::string_view reason);

// The newest event with this reason about the object with this uid; null if there is none.
json::Value NewestEvent(const GangInput& input, std::string_view uid, std::string_view reason);

}  // namespace coppice::backends
