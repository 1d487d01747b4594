#pragma once

#include "services/grouper/groups/grouper.h"

namespace coppice::services::grouper {

// Groups a pod by the Karta that describes its workload's kind (docs/behaviour/grouper.md K-40).
// nullopt if there is no usable one.
base::Result<std::optional<Metadata>> GroupByKarta(const Context& context,
                                                   const Workload& workload);

}  // namespace coppice::services::grouper
