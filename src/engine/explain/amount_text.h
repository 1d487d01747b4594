#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/state/cluster.h"

namespace coppice::engine {

// A number without needless digits: 4, 0.5, 1.25.
std::string PlainNumber(double value);

// An amount in the user's units: "8 GPUs", "1 core", "1.5 GiB", "4 rdma/hca". `amount` is in the
// units of nodes.
std::string AmountText(const ResourceIndex& resources, int resource, int64_t amount);

// Converts an amount that nodes count in thousandths to whole units of the resource.
double InUnits(const ResourceIndex& resources, int resource, int64_t amount);

// "a", "a and b", "a, b and 3 more": names at most `most` of them.
std::string NameSome(const std::vector<std::string>& names, size_t most = 3);

// "1 node", "3 nodes".
std::string CountText(int64_t count, std::string_view noun);

}  // namespace coppice::engine
