#pragma once

#include "backends/framework/backend.h"

namespace coppice::backends::workload {

// Every resource of the gang API in all versions, with objects that set all gated fields, to detect
// which of them a server keeps.
std::vector<ResourceUse> GangApiUses();

}  // namespace coppice::backends::workload
