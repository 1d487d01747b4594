#pragma once

#include <string_view>

// Names that Coppice adds to KAI's objects. KAI ignores them.
namespace coppice::api::kai::names {

// The limits of a queue that is on hold, as they were: a JSON object of spec.resources with limits
// alone. `coppice queue hold` writes it, `coppice queue resume` restores it.
inline constexpr std::string_view kLimitsBeforeHold = "coppice.dev/limits-before-hold";

}  // namespace coppice::api::kai::names
