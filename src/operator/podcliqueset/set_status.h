#pragma once

#include "api/grove/pod_clique_set.h"
#include "kube/controller/debouncer.h"
#include "operator/podcliqueset/replica_counts.h"
#include "operator/runtime/context.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators::podcliqueset {

// Writes `status` if it differs, and reads the result back into `set`. Fails with kConflict if the
// set changed since it was read.
base::Status WriteStatus(const Context& context, api::grove::PodCliqueSet& set,
                         const api::grove::PodCliqueSetStatus& status);

void ApplyCounts(const api::grove::PodCliqueSet& set, const Counts& counts,
                 api::grove::PodCliqueSetStatus& status);

// Starts an update if the template changed since the last reconcile.
StepOutcome SyncGenerationHash(const Context& context, api::grove::PodCliqueSet& set);

// Counters, progress, conditions and selector, computed from the set's children. Writes of only
// counters are debounced; the outcome then says when to requeue.
base::Result<StepOutcome> UpdateStatus(const Context& context, api::grove::PodCliqueSet& set,
                                       const StepOutcome& spec_outcome, const Counts& counts,
                                       kube::Debouncer& debouncer);

}  // namespace coppice::operators::podcliqueset
