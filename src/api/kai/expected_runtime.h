#pragma once

#include <string_view>

namespace coppice::api::kai::names {

// Ours, on a Job, a PodGroup or a pod: how long the work runs from its start, as its owner expects
// ("90m").
inline constexpr std::string_view kExpectedRuntime = "kai.scheduler/expected-runtime";

}  // namespace coppice::api::kai::names
