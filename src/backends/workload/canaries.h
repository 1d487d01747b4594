#pragma once

#include "backends/framework/backend.h"

namespace coppice::backends::workload {

// Every resource of the gang API in all its versions, with objects that carry all their gated
// fields, to see which of them a server keeps.
std::vector<ResourceUse> GangApiUses();

}  // namespace coppice::backends::workload
