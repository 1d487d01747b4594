#pragma once

#include <string_view>

#include "base/clock.h"
#include "kube/client/client.h"

namespace coppice::services::nodes {

struct PodConditionUpdate {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view message = {};
};

// Sets one condition of the pod and leaves the others alone. A pod that is gone needs none.
base::Status SetPodCondition(kube::Client& client, const json::Value& pod,
                             const PodConditionUpdate& update, base::Time now);

}  // namespace coppice::services::nodes
