#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/pod_clique_set.h"

namespace coppice::operators {

// The position of a PodClique: a replica of the set and, for members, of a scaling group.
struct CliquePosition {
  int replica = 0;
  std::optional<int> group_replica;
};

// The names of the PodCliques that a clique's pods wait for. In a base gang these are all of the
// gang's PodCliques of each clique that it depends on; a scaled gang waits only for its own
// members.
std::vector<std::string> StartsAfter(std::string_view set_name,
                                     const api::grove::PodCliqueSetTemplate& set,
                                     std::string_view clique, const CliquePosition& position);

}  // namespace coppice::operators
