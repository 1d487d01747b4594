#pragma once

#include <string_view>

#include "backends/framework/backend.h"

// What schedulers say about gangs in events, where they say it nowhere else.
namespace coppice::backends {

// A use of the events with this reason.
ResourceUse EventsOf(std::string_view reason);

// The newest event with this reason about the object with this uid; null when there is none.
json::Value NewestEvent(const GangInput& input, std::string_view uid, std::string_view reason);

}  // namespace coppice::backends
