#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace coppice::services::workloads {

// Sets a condition; lastTransitionTime moves only when the status changes. An empty reason or
// message is left out.
void SetCondition(json::Value& status, std::string_view type, bool is_true, std::string_view reason,
                  std::string_view message, const std::string& now);

// An int, or a percentage of `total`, rounded up or down.
int64_t IntOrPercent(const json::Value& value, int64_t total, bool round_up, int64_t fallback);

}  // namespace coppice::services::workloads
