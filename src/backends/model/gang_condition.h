#pragma once

#include <string_view>

#include "json/value.h"

namespace coppice::backends {

// Whether this condition in a PodGang's status is true.
bool StatusHas(const json::Value& status, std::string_view condition);

}  // namespace coppice::backends
