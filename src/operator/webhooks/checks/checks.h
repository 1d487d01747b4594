#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/cluster_topology_binding.h"
#include "api/grove/pod_clique_set.h"
#include "backends/model/topology.h"
#include "base/error.h"
#include "kube/client/client.h"

namespace coppice::backends {
class Backends;
}

// Validation of a PodCliqueSet beyond its schema, one function per concern. Each appends the
// problems it finds to `causes`.
namespace coppice::operators::webhooks {

using Causes = std::vector<base::FieldCause>;

// Empty, or only white space.
inline bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

// Whether there already is a cause for this field.
inline bool HasCauseAt(const Causes& causes, const std::string& field) {
  return std::any_of(causes.begin(), causes.end(),
                     [&](const base::FieldCause& cause) { return cause.field == field; });
}

// All checks that need only the set, in the order in which they are reported. `schedulers` are
// problems with scheduler names, to be reported among the others.
void CheckBase(const api::grove::PodCliqueSet& set, bool creating, const Causes& schedulers,
               Causes& causes);

// Name, replicas, startup type.
void CheckSet(const api::grove::PodCliqueSet& set, Causes& causes);
void CheckTerminationDelay(const api::grove::PodCliqueSetTemplate& set, Causes& causes);

// Claim templates, and the set's own use of them.
void CheckClaimTemplates(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
void CheckSetSharing(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
void CheckCliqueSharing(const api::grove::PodCliqueSetTemplate& set, size_t clique, Causes& causes);
void CheckGroupSharing(const api::grove::PodCliqueSetTemplate& set, size_t group, Causes& causes);

// `creating`: some pod fields are rejected only on new sets.
void CheckCliques(const api::grove::PodCliqueSet& set, bool creating, Causes& causes);
// The startsAfter of a clique, and the resulting dependencies in the set.
void CheckStartsAfter(const api::grove::PodCliqueSetTemplate& set, size_t clique, Causes& causes);
void CheckDependencies(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
void CheckScalingGroups(const api::grove::PodCliqueSet& set, Causes& causes);

// Names of generated pods must fit into a hostname.
void CheckStandaloneBudget(const api::grove::PodCliqueSet& set, size_t clique, Causes& causes);
void CheckMemberBudget(const api::grove::PodCliqueSet& set, size_t group, Causes& causes);

// Rejects names of a new set that do not yield valid names for its Services, hostnames, claims and
// autoscalers.
void CheckGeneratedNames(kube::Client& client, const api::grove::PodCliqueSet& set, Causes& causes);

void CheckEnvironment(const json::Value& pod_spec, const std::string& path, Causes& causes);
// Asks Kubernetes to validate the pods of templates that differ from those of `old`.
void CheckPodTemplates(kube::Client& client, const api::grove::PodCliqueSet& set,
                       const api::grove::PodCliqueSet& old, Causes& causes);
void CheckMnnvl(const api::grove::PodCliqueSet& set, bool enabled, Causes& causes);

// Constraints of a new set: one topology, whose binding exists (`levels` not empty) and has every
// domain, and no parent that is packed tighter than its children.
struct TopologyInput {
  bool enabled = false;
  std::string resolved_name;                         // Set by ResolveTopologyName.
  const backends::TopologyLevels* levels = nullptr;  // Null: no such binding.
};
// The one topology that all constraints name or inherit; false if there is none.
bool ResolveTopologyName(const api::grove::PodCliqueSetTemplate& set, std::string& name,
                         Causes& causes);
void CheckTopology(const api::grove::PodCliqueSetTemplate& set, const TopologyInput& input,
                   Causes& causes);
std::vector<std::string> TopologyWarnings(const api::grove::PodCliqueSetTemplate& set,
                                          const backends::TopologyLevels* levels);

// Immutable parts: cliques, startup type and groups; claims.
void CheckCompositionImmutable(const api::grove::PodCliqueSet& set,
                               const api::grove::PodCliqueSet& old, Causes& causes);
void CheckClaimsImmutable(const api::grove::PodCliqueSet& set, const api::grove::PodCliqueSet& old,
                          Causes& causes);
void CheckMnnvlImmutable(const api::grove::PodCliqueSet& set, const api::grove::PodCliqueSet& old,
                         Causes& causes);
// The annotation that chooses a backend may change only while no pod belongs to another scheduler,
// because a pod never changes its scheduler. `set` has no uid, like a new one.
void CheckSchedulerChange(backends::Backends& backends, kube::Client& client,
                          const json::Value& set, const json::Value& old, Causes& causes);
// kRepair: old constraints that name no topology get their missing names; they must then be
// validated like new ones.
enum class TopologyChange { kNone, kRepair };
TopologyChange CheckTopologyImmutable(const api::grove::PodCliqueSetTemplate& set,
                                      const api::grove::PodCliqueSetTemplate& old, Causes& causes);

// "spec.template.cliques[2]".
std::string CliquePath(size_t index);
std::string GroupPath(size_t index);

}  // namespace coppice::operators::webhooks
