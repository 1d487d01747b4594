#pragma once

#include "base/result.h"
#include "json/value.h"
#include "operator/podclique/pass.h"
#include "operator/runtime/config.h"

namespace coppice::operators::podclique {

// The pod with this index, without what the scheduler's backend adds.
base::Result<json::Value> BuildPod(const Config& config, const api::grove::PodCliqueSet& set,
                                   const api::grove::PodClique& clique, int index);

}  // namespace coppice::operators::podclique
