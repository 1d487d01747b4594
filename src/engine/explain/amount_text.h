#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/state/cluster.h"

namespace coppice::engine {

// A number without needless digits: 4, 0.5, 1.25.
std::string PlainNumber(double value);

// An amount in the user's units: "8 GPUs", "1 core", "1.5 GiB", "4 rdma/hca". `amount` is as nodes
// count it.
std::string AmountText(const ResourceIndex& resources, int resource, int64_t amount);

// How many of a resource an amount is that nodes count in thousandths.
double InUnits(const ResourceIndex& resources, int resource, int64_t amount);

// "a", "a and b", "a, b and 3 more": at most `most` of them by name.
std::string NameSome(const std::vector<std::string>& names, size_t most = 3);

// "1 node", "3 nodes".
std::string CountText(int64_t count, std::string_view noun);

}  // namespace coppice::engine
