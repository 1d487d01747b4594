#pragma once

#include <optional>
#include <vector>

#include "engine/model/explanation.h"
#include "json/value.h"

namespace coppice::cli {

// What keeps pods that already have a node from running or being Ready: images that cannot be
// pulled, containers that crash or wait for their volumes, init containers. nullopt if all of them
// run. `object` is the subject of the explanation.
std::optional<engine::Explanation> ExplainContainers(const json::Value& object,
                                                     const std::vector<json::Value>& pods);

}  // namespace coppice::cli
