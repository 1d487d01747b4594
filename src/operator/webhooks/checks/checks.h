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

// What a PodCliqueSet must fulfil beyond its schema, one function per concern. Each adds what is
// wrong to `causes`.
namespace coppice::operators::webhooks {

using Causes = std::vector<base::FieldCause>;

// Nothing but white space counts as nothing.
inline bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

// Whether something is already said about this field.
inline bool HasCauseAt(const Causes& causes, const std::string& field) {
  return std::any_of(causes.begin(), causes.end(),
                     [&](const base::FieldCause& cause) { return cause.field == field; });
}

// All checks that need nothing but the set, in the order in which users hear about them.
// `schedulers` are complaints about scheduler names, to be told among the others.
void CheckBase(const api::grove::PodCliqueSet& set, bool creating, const Causes& schedulers,
               Causes& causes);

// Name, replicas, startup type.
void CheckSet(const api::grove::PodCliqueSet& set, Causes& causes);
void CheckTerminationDelay(const api::grove::PodCliqueSetTemplate& set, Causes& causes);

// The templates of claims, and the set's own use of them.
void CheckClaimTemplates(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
void CheckSetSharing(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
void CheckCliqueSharing(const api::grove::PodCliqueSetTemplate& set, size_t clique, Causes& causes);
void CheckGroupSharing(const api::grove::PodCliqueSetTemplate& set, size_t group, Causes& causes);

// `creating`: some pod fields are refused only on new sets.
void CheckCliques(const api::grove::PodCliqueSet& set, bool creating, Causes& causes);
// What a clique says about its own startup, and what that makes of the set.
void CheckStartsAfter(const api::grove::PodCliqueSetTemplate& set, size_t clique, Causes& causes);
void CheckDependencies(const api::grove::PodCliqueSetTemplate& set, Causes& causes);
void CheckScalingGroups(const api::grove::PodCliqueSet& set, Causes& causes);

// Names of generated pods must stay short enough for a hostname.
void CheckStandaloneBudget(const api::grove::PodCliqueSet& set, size_t clique, Causes& causes);
void CheckMemberBudget(const api::grove::PodCliqueSet& set, size_t group, Causes& causes);

// Names of a new set from which its Services, hostnames, claims and autoscalers cannot be made.
void CheckGeneratedNames(kube::Client& client, const api::grove::PodCliqueSet& set, Causes& causes);

void CheckEnvironment(const json::Value& pod_spec, const std::string& path, Causes& causes);
// What Kubernetes would say about the pods, asked for templates that differ from those of `old`.
void CheckPodTemplates(kube::Client& client, const api::grove::PodCliqueSet& set,
                       const api::grove::PodCliqueSet& old, Causes& causes);
void CheckMnnvl(const api::grove::PodCliqueSet& set, bool enabled, Causes& causes);

// Constraints of a new set: one topology, whose binding exists (`levels` non-empty) and has every
// domain, and no parent packed tighter than its children.
struct TopologyInput {
  bool enabled = false;
  std::string resolved_name;                         // Set by ResolveTopologyName.
  const backends::TopologyLevels* levels = nullptr;  // Null: there is no such binding.
};
// The one topology that all constraints name or inherit; false when there is none such.
bool ResolveTopologyName(const api::grove::PodCliqueSetTemplate& set, std::string& name,
                         Causes& causes);
void CheckTopology(const api::grove::PodCliqueSetTemplate& set, const TopologyInput& input,
                   Causes& causes);
std::vector<std::string> TopologyWarnings(const api::grove::PodCliqueSetTemplate& set,
                                          const backends::TopologyLevels* levels);

// What may not change: cliques, startup type and groups; claims.
void CheckCompositionImmutable(const api::grove::PodCliqueSet& set,
                               const api::grove::PodCliqueSet& old, Causes& causes);
void CheckClaimsImmutable(const api::grove::PodCliqueSet& set, const api::grove::PodCliqueSet& old,
                          Causes& causes);
void CheckMnnvlImmutable(const api::grove::PodCliqueSet& set, const api::grove::PodCliqueSet& old,
                         Causes& causes);
// The annotation that chooses a backend may change while no pod is with another scheduler: a pod's
// is for its life. `set` has no uid, as something new.
void CheckSchedulerChange(backends::Backends& backends, kube::Client& client,
                          const json::Value& set, const json::Value& old, Causes& causes);
// Whether constraints of the past, which name no topology, gain their missing names: they are then
// to be checked like new ones.
enum class TopologyChange { kNone, kRepair };
TopologyChange CheckTopologyImmutable(const api::grove::PodCliqueSetTemplate& set,
                                      const api::grove::PodCliqueSetTemplate& old, Causes& causes);

// "spec.template.cliques[2]".
std::string CliquePath(size_t index);
std::string GroupPath(size_t index);

}  // namespace coppice::operators::webhooks
