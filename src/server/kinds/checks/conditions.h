#pragma once

#include <string_view>

#include "base/clock.h"
#include "json/value.h"

namespace coppice::server {

// Sets a condition in status.conditions; lastTransitionTime moves only when the status changes.
void SetPodCondition(json::Value& pod, std::string_view type, std::string_view status,
                     std::string_view reason, std::string_view message, base::Time now);
void SetCondition(json::Value& object, std::string_view type, std::string_view status,
                  std::string_view reason, std::string_view message, base::Time now);

}  // namespace coppice::server
