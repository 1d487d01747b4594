#pragma once

#include <set>
#include <string>

#include "api/grove/pod_clique_set.h"
#include "operator/common/scope.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

// What a set consists of besides its gangs: one function per kind, each bringing the objects of
// that kind to what the set asks for. All are idempotent and write nothing when nothing differs.
namespace coppice::operators::podcliqueset {

StepOutcome SyncServiceAccount(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncRole(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncRoleBinding(const Context& context, const api::grove::PodCliqueSet& set);
// Waits for the token only when pods of the set will mount it.
StepOutcome SyncTokenSecret(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncAutoscalers(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncResourceClaims(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncComputeDomains(const Context& context, const api::grove::PodCliqueSet& set);

// What one replica consists of, and what is left of replicas that the set no longer has.
StepOutcome SyncHeadlessService(const Context& context, const api::grove::PodCliqueSet& set,
                                int replica);
StepOutcome DeleteSurplusServices(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncStandaloneCliques(const Context& context, const api::grove::PodCliqueSet& set,
                                  int replica);
StepOutcome DeleteSurplusCliques(const Context& context, const api::grove::PodCliqueSet& set);

// In the replicas of the scope alone. Surplus replicas' groups go when all are looked at.
StepOutcome SyncScalingGroups(const Context& context, const api::grove::PodCliqueSet& set,
                              const Scope& scope);
// Terminates gangs whose minimum has been breached for too long, then moves a running update on.
// May write the set's status, and reads it back into `set`.
StepOutcome SyncReplicas(const Context& context, api::grove::PodCliqueSet& set, const Scope& scope);

// Lets go of the ComputeDomains of a set that is being deleted.
StepOutcome DeleteComputeDomains(const Context& context, const api::grove::PodCliqueSet& set);

}  // namespace coppice::operators::podcliqueset
