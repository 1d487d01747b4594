#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace coppice::cli {

// A duration as kubectl prints ages: "7s", "4m12s", "3h", "2d5h".
std::string ShortDuration(base::Duration duration);
// How long ago a timestamp of the API was; "" if it is none.
std::string AgeOf(std::string_view timestamp, base::Time now);

}  // namespace coppice::cli
