#pragma once

#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::cli {

// The PodGroups and pods that work becomes: PodCliqueSets, Jobs, Deployments, pods, PodGroups, … .
// Runs the real operator, backends and grouper on an empty embedded cluster in virtual time, with
// `surroundings` (queues, priority classes, topologies) as far as it takes them. Fails if a
// document is refused, or if nothing of it is for our scheduler.
base::Result<std::vector<json::Value>> ExpandWork(const std::vector<json::Value>& documents,
                                                  const std::vector<json::Value>& surroundings,
                                                  base::Time now);

}  // namespace coppice::cli
