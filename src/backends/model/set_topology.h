#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/value.h"

namespace coppice::backends {

// Upstream Grove's refusal of topology constraints by backends that have no notion of them, at
// whichever level of the set the first one is found.
std::vector<base::FieldCause> RefuseAnyTopology(const json::Value& pod_clique_set,
                                                std::string_view scheduler);

}  // namespace coppice::backends
