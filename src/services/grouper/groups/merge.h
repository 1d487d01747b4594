#pragma once

#include <optional>

#include "json/value.h"
#include "services/grouper/groups/grouper.h"

namespace coppice::services::grouper {

// The stored PodGroup brought to the computed one, keeping what others own (queue, back-off, node
// pool, an external topology constraint); nullopt if nothing differs.
std::optional<json::Value> MergePodGroup(const Options& options, const json::Value& stored,
                                         const json::Value& computed);

}  // namespace coppice::services::grouper
