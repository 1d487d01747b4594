#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/value.h"

namespace coppice::backends {

// Upstream Grove's rejection of topology constraints by backends that do not support them, for the
// first constraint at any level of the set.
std::vector<base::FieldCause> RefuseAnyTopology(const json::Value& pod_clique_set,
                                                std::string_view scheduler);

}  // namespace coppice::backends
