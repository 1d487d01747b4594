#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace coppice::services::workloads {

// Sets a condition to "True", "False" or "Unknown" in a list of them; lastTransitionTime moves only
// when the status changes. An empty reason or message is left out.
void SetCondition(json::Value& conditions, std::string_view type, std::string_view wanted,
                  std::string_view reason, std::string_view message, const std::string& now);

// A count as Kubernetes writes it: absent instead of 0.
json::Value NonZero(int64_t count);

// An int, or a percentage of `total`, rounded up or down.
int64_t IntOrPercent(const json::Value& value, int64_t total, bool round_up, int64_t fallback);

}  // namespace coppice::services::workloads
