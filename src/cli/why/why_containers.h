#pragma once

#include <optional>
#include <vector>

#include "engine/explain/explain.h"
#include "json/value.h"

namespace coppice::cli {

// What keeps pods from running or being Ready that have a node already: images that cannot be
// pulled, containers that crash or wait for what they mount, init containers. Nothing where all of
// them run. `object` is what the explanation is about.
std::optional<engine::Explanation> ExplainContainers(const json::Value& object,
                                                     const std::vector<json::Value>& pods);

}  // namespace coppice::cli
