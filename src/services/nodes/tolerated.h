#pragma once

#include <optional>

#include "base/clock.h"
#include "json/value.h"

namespace coppice::services::nodes {

// How long the pod may stay on the node despite the node's NoExecute taints: zero if it does not
// tolerate one of them, absent if it may stay for good.
std::optional<base::Duration> ToleratedFor(const json::Value& pod, const json::Value& node);

}  // namespace coppice::services::nodes
