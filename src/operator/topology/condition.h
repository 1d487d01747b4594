#pragma once

#include <vector>

#include "api/grove/pod_clique_set.h"
#include "backends/model/topology.h"
#include "operator/runtime/context.h"

namespace coppice::operators::topology {

// True if the set, a group or a clique has a topology constraint.
bool HasConstraint(const api::grove::PodCliqueSetTemplate& set);
// The ClusterTopologyBinding that the set names at any level; "" if none.
std::string TopologyName(const api::grove::PodCliqueSetTemplate& set);
// Every domain that the set asks for, without duplicates, in order of appearance.
std::vector<std::string> Domains(const api::grove::PodCliqueSetTemplate& set);

// The levels for the set's constraints; empty if topology is off, the set has no constraints, or
// its binding does not exist.
backends::TopologyLevels LevelsOf(const Context& context, const api::grove::PodCliqueSet& set);

// Sets the condition TopologyLevelsUnavailable: whether all levels that the set asks for exist.
void UpdateCondition(const Context& context, const api::grove::PodCliqueSet& set,
                     std::vector<api::grove::Condition>& conditions);

}  // namespace coppice::operators::topology
