#pragma once

#include <set>
#include <string>

#include "api/grove/pod_clique_set.h"
#include "operator/common/scope.h"
#include "operator/runtime/context.h"
#include "operator/runtime/outcome.h"

// What a set consists of besides its gangs: one function per kind, each bringing the objects of
// that kind to what the set asks for. All are idempotent and write nothing when nothing differs.
namespace coppice::operators::podcliqueset {

Outcome SyncServiceAccount(const Context& context, const api::grove::PodCliqueSet& set);
Outcome SyncRole(const Context& context, const api::grove::PodCliqueSet& set);
Outcome SyncRoleBinding(const Context& context, const api::grove::PodCliqueSet& set);
// Waits for the token only when pods of the set will mount it.
Outcome SyncTokenSecret(const Context& context, const api::grove::PodCliqueSet& set);
Outcome SyncAutoscalers(const Context& context, const api::grove::PodCliqueSet& set);
Outcome SyncResourceClaims(const Context& context, const api::grove::PodCliqueSet& set);
Outcome SyncComputeDomains(const Context& context, const api::grove::PodCliqueSet& set);

// What one replica consists of, and what is left of replicas that the set no longer has.
Outcome SyncHeadlessService(const Context& context, const api::grove::PodCliqueSet& set,
                            int replica);
Outcome DeleteSurplusServices(const Context& context, const api::grove::PodCliqueSet& set);
Outcome SyncStandaloneCliques(const Context& context, const api::grove::PodCliqueSet& set,
                              int replica);
Outcome DeleteSurplusCliques(const Context& context, const api::grove::PodCliqueSet& set);

// In the replicas of the scope alone. Surplus replicas' groups go when all are looked at.
Outcome SyncScalingGroups(const Context& context, const api::grove::PodCliqueSet& set,
                          const Scope& scope);
// Terminates gangs whose minimum has been breached for too long, then moves a running update on.
// May write the set's status, and reads it back into `set`.
Outcome SyncReplicas(const Context& context, api::grove::PodCliqueSet& set, const Scope& scope);

// Lets go of the ComputeDomains of a set that is being deleted.
Outcome DeleteComputeDomains(const Context& context, const api::grove::PodCliqueSet& set);

}  // namespace coppice::operators::podcliqueset
