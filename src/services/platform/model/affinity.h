#pragma once

#include <string_view>

#include "api/view/core.h"
#include "api/view/kai.h"
#include "json/value.h"

namespace coppice::services::platform {

// A service's affinity: its own and the global one part by part, its own first; where neither keeps
// pods apart, replicas prefer different hosts, and need them when the Config requires it.
json::Value AffinityOf(std::string_view app, view::core::Affinity own,
                       view::kai::ConfigGlobal global);

}  // namespace coppice::services::platform
