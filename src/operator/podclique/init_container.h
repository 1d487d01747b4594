#pragma once

#include <string>
#include <vector>

#include "api/grove/pod_clique_set.h"
#include "base/result.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators::podclique {

// Adds the init container that delays a pod until enough pods of each PodClique in `starts_after`
// are ready, and the volumes it reads.
base::Status AddInitContainer(const Config& config, const api::grove::PodCliqueSet& set,
                              const std::vector<std::string>& starts_after, json::Value& pod_spec);

}  // namespace coppice::operators::podclique
