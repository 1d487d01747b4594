#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/grove/pod_clique_set.h"
#include "backends/gangs/gang_builder.h"
#include "base/error.h"

// Limits for a single object. A typo (or a broken autoscaler) may ask for two billion replicas, and
// the operator of the whole cluster would run out of memory.
namespace coppice::operators {

using backends::kMostReplicas;
// For all cliques of a set together.
inline constexpr int64_t kMostPods = 1'000'000;

// Far beyond any useful set; these lists are searched by name in many places.
inline constexpr int64_t kMostCliques = 1'024;  // The same limit applies to groups.
inline constexpr int64_t kMostMembers = 4'096;  // For all groups together.

// The fields of a set that exceed a limit; empty if there are none.
std::vector<base::FieldCause> Excess(const api::grove::PodCliqueSet& set);
// The same check for the replicas of one object, because the scale subresource accepts any number.
std::optional<base::Error> Excess(std::string_view kind, int32_t replicas);

}  // namespace coppice::operators
