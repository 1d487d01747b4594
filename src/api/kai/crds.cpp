#include "api/kai/crds.h"

namespace coppice::api::kai {

std::vector<json::Value> Crds() {
  return {QueueCrd(),    PodGroupCrd(),        BindRequestCrd(),
          TopologyCrd(), SchedulingShardCrd(), ConfigCrd()};
}

}  // namespace coppice::api::kai
