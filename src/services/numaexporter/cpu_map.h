#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace coppice::services::numaexporter {

// "0-3,8" → 0, 1, 2, 3, 8.
base::Result<std::vector<int>> ParseCpuList(std::string_view text);

// NUMA node by CPU, from <sysfs>/devices/system/node/node<N>/cpulist. No node is an error.
base::Result<std::map<int, int>> ReadCpuMap(const std::string& sysfs_root);

}  // namespace coppice::services::numaexporter
