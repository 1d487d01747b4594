#pragma once

#include <vector>

#include "engine/input.h"
#include "json/value.h"

namespace coppice::services::scheduler {

// Regular containers, then init containers in order.
std::vector<engine::ContainerSpec> ReadContainers(const json::Value& pod);

}  // namespace coppice::services::scheduler
