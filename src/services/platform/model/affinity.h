#pragma once

#include <string_view>

#include "api/view/core.h"
#include "api/view/kai.h"
#include "json/value.h"

namespace coppice::services::platform {

// A service's affinity: its own and the global one part by part, its own first; if neither has pod
// anti-affinity, replicas prefer different hosts, or require them if the Config says so.
json::Value AffinityOf(std::string_view app, view::core::Affinity own,
                       view::kai::ConfigGlobal global);

}  // namespace coppice::services::platform
