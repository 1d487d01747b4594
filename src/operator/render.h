#pragma once

#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "operator/common/config.h"

namespace coppice::operators {

// Every object that the operator would create for a PodCliqueSet in an empty cluster, without one:
// access, services, autoscalers, scaling groups, PodCliques and pods (as the operator builds them,
// before their backend completes them). PodGangs and the backend's objects come from
// backends::RenderSet. The set is defaulted first; what admission refuses is an error.
base::Result<std::vector<json::Value>> RenderSet(const Config& config, json::Value set);

}  // namespace coppice::operators
