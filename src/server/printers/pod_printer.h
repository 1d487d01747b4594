#pragma once

#include <vector>

#include "base/clock.h"
#include "json/value.h"

namespace coppice::server {

// The cells of a pod's row: name, ready, status, restarts, age, and the wide ones.
std::vector<json::Value> PodCells(const json::Value& pod, base::Time now);

}  // namespace coppice::server
