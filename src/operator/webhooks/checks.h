#pragma once

#include <string>
#include <vector>

#include "api/grove/cluster_topology_binding.h"
#include "api/grove/pod_clique_set.h"
#include "backends/topology.h"
#include "base/error.h"

// What a PodCliqueSet must fulfil beyond its schema, one function per concern. Each adds what is
// wrong to `causes`.
namespace coppice::operators::webhooks {

using Causes = std::vector<base::FieldCause>;

// Name, replicas, startup type, termination delay.
void CheckSet(const api::grove::PodCliqueSet& set, Causes& causes);
void CheckClaims(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
// `creating`: some pod fields are refused only on new sets.
void CheckCliques(const api::grove::PodCliqueSet& set, bool creating, Causes& causes);
void CheckStartupOrder(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
void CheckScalingGroups(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
// Names of generated pods must stay short enough for a hostname.
void CheckNameBudget(const api::grove::PodCliqueSet& set, Causes& causes);
void CheckMnnvl(const api::grove::PodCliqueSet& set, bool enabled, Causes& causes);

// Constraints of a new set: one topology, whose binding exists (`levels` non-empty) and has every
// domain, and no parent packed tighter than its children.
struct TopologyInput {
  bool enabled = false;
  std::string resolved_name;             // Set by ResolveTopologyName.
  const backends::TopologyLevels* levels = nullptr;  // Null: there is no such binding.
};
// The one topology that all constraints name or inherit; false when there is none such.
bool ResolveTopologyName(const api::grove::PodCliqueSetTemplate& set, std::string& name,
                         Causes& causes);
void CheckTopology(const api::grove::PodCliqueSetTemplate& set, const TopologyInput& input,
                   Causes& causes);
std::vector<std::string> TopologyWarnings(const api::grove::PodCliqueSetTemplate& set,
                                          const backends::TopologyLevels* levels);

// What may not change.
void CheckImmutable(const api::grove::PodCliqueSet& set, const api::grove::PodCliqueSet& old,
                    Causes& causes);
void CheckMnnvlImmutable(const api::grove::PodCliqueSet& set, const api::grove::PodCliqueSet& old,
                         Causes& causes);
// `repaired` is set when a constraint of the past gained its missing topology name: it is then to
// be checked like a new one.
void CheckTopologyImmutable(const api::grove::PodCliqueSet& set,
                            const api::grove::PodCliqueSet& old, bool& repaired, Causes& causes);

// "spec.template.cliques[2]".
std::string CliquePath(size_t index);
std::string GroupPath(size_t index);

}  // namespace coppice::operators::webhooks
