#pragma once

#include "api/grove/pod_clique_set.h"
#include "kube/controller/debouncer.h"
#include "operator/podcliqueset/replica_counts.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podcliqueset {

// Writes `status` where it differs and reads the result back into `set`. Fails with kConflict when
// somebody changed the set since it was read.
base::Status WriteStatus(const Context& context, api::grove::PodCliqueSet& set,
                         const api::grove::PodCliqueSetStatus& status);

void ApplyCounts(const api::grove::PodCliqueSet& set, const Counts& counts,
                 api::grove::PodCliqueSetStatus& status);

// Starts an update when the template has changed since the last pass.
StepOutcome SyncGenerationHash(const Context& context, api::grove::PodCliqueSet& set);

// Counters, progress, conditions and selector, from what the set's children amount to. Writes of
// counters alone are debounced; the outcome then says when to come back.
base::Result<StepOutcome> UpdateStatus(const Context& context, api::grove::PodCliqueSet& set,
                                       const StepOutcome& spec_outcome, const Counts& counts,
                                       kube::Debouncer& debouncer);

}  // namespace coppice::operators::podcliqueset
