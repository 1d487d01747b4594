#pragma once

#include "backends/framework/ladder.h"

namespace coppice::backends::yunikorn {

// Unique in the cluster, at most 63 characters, new for every attempt. A gang that is recreated
// while its pods are live keeps the application id on those pods.
std::string AppId(const GangInput& input);

TopologyPlan PlanFor(const GangInput& input);

// The task groups annotation: byte-identical on every pod of the application.
std::string TaskGroups(const GangInput& input, const TopologyPlan& plan);

std::string PolicyParameters(const GangInput& input);

// Labels with which pods and placeholders match each other. They are our own, because placeholders
// must not look like pods of the gang.
json::Value AffinityLabels(const GangInput& input, const TopologyPlan& plan,
                           std::string_view group);
json::Value AffinitySelector(const Scope& scope);

}  // namespace coppice::backends::yunikorn
