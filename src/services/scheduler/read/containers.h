#pragma once

#include <vector>

#include "api/view/core.h"
#include "engine/model/input.h"

namespace coppice::services::scheduler {

// Regular containers, then init containers in order.
std::vector<engine::ContainerSpec> ReadContainers(view::core::PodSpec pod);

}  // namespace coppice::services::scheduler
