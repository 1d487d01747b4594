#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/grove/pod_clique_set.h"
#include "backends/gangs/gang_builder.h"
#include "base/error.h"

// How much one object may ask for. A slip of the pen (or of an autoscaler) asks for two thousand
// million replicas, and the operator of the whole cluster would run out of memory counting them.
namespace coppice::operators {

using backends::kMostReplicas;
// Of all cliques of a set together.
inline constexpr int64_t kMostPods = 1'000'000;

// Far beyond any set that makes sense; much looks up each name in these lists.
inline constexpr int64_t kMostCliques = 1'024;  // And as many groups.
inline constexpr int64_t kMostMembers = 4'096;  // Of all groups together.

// What a set asks too much of, with the fields; empty when it is within bounds.
std::vector<base::FieldCause> Excess(const api::grove::PodCliqueSet& set);
// The same for the replicas of one object: the scale subresource takes any number.
std::optional<base::Error> Excess(std::string_view kind, int32_t replicas);

}  // namespace coppice::operators
