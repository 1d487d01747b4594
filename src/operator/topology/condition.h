#pragma once

#include <vector>

#include "api/grove/pod_clique_set.h"
#include "backends/model/topology.h"
#include "operator/runtime/context.h"

namespace coppice::operators::topology {

// True when the set, a group or a clique asks for topology.
bool HasConstraint(const api::grove::PodCliqueSetTemplate& set);
// The ClusterTopologyBinding that the set names, at any level; "" when it names none.
std::string TopologyName(const api::grove::PodCliqueSetTemplate& set);
// Every domain that the set asks for, without repetition, in order of appearance.
std::vector<std::string> Domains(const api::grove::PodCliqueSetTemplate& set);

// The levels that constraints of the set translate to; none when topology is off, the set asks for
// none, or its binding does not exist.
backends::TopologyLevels LevelsOf(const Context& context, const api::grove::PodCliqueSet& set);

// Whether all levels that the set asks for exist: condition TopologyLevelsUnavailable.
void UpdateCondition(const Context& context, const api::grove::PodCliqueSet& set,
                     std::vector<api::grove::Condition>& conditions);

}  // namespace coppice::operators::topology
