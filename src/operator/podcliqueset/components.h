#pragma once

#include <set>
#include <string>

#include "api/grove/pod_clique_set.h"
#include "operator/common/scope.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

// The objects of a set besides its gangs: one function per kind, which syncs the objects of that
// kind with the set. All are idempotent and write nothing if nothing differs.
namespace coppice::operators::podcliqueset {

StepOutcome SyncServiceAccount(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncRole(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncRoleBinding(const Context& context, const api::grove::PodCliqueSet& set);
// Waits for the token only if pods of the set will mount it.
StepOutcome SyncTokenSecret(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncAutoscalers(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncResourceClaims(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncComputeDomains(const Context& context, const api::grove::PodCliqueSet& set);

// The objects of one replica, and the cleanup of replicas that the set no longer has.
StepOutcome SyncHeadlessService(const Context& context, const api::grove::PodCliqueSet& set,
                                int replica);
StepOutcome DeleteSurplusServices(const Context& context, const api::grove::PodCliqueSet& set);
StepOutcome SyncStandaloneCliques(const Context& context, const api::grove::PodCliqueSet& set,
                                  int replica);
StepOutcome DeleteSurplusCliques(const Context& context, const api::grove::PodCliqueSet& set);

// Only in the replicas of the scope. Groups of surplus replicas are deleted if the scope is all
// replicas.
StepOutcome SyncScalingGroups(const Context& context, const api::grove::PodCliqueSet& set,
                              const Scope& scope);
// Terminates gangs whose minimum has been breached for too long, then advances a running update.
// May write the set's status, and reads it back into `set`.
StepOutcome SyncReplicas(const Context& context, api::grove::PodCliqueSet& set, const Scope& scope);

// Deletes the ComputeDomains of a set that is being deleted.
StepOutcome DeleteComputeDomains(const Context& context, const api::grove::PodCliqueSet& set);

}  // namespace coppice::operators::podcliqueset
