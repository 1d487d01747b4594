#pragma once

#include <cstddef>
#include <functional>

#include "kube/executor/priority.h"
#include "kube/process/manager.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators {

// Concurrent writes of one reconcile: enough to be limited by the server's throughput and not by
// latency, few enough not to delay other reconciles.
inline constexpr size_t kAtATime = 8;

// Calls `work` once for each index below `count`, at most kAtATime concurrently, and returns when
// all calls are done. The caller works too, at first alone. Once a call has been slow enough to
// make parallelism worthwhile, executor tasks help. A busy or single-threaded executor therefore
// costs speed, never progress. There are no helpers while work of a higher priority is in progress
// in this process.
void InParallel(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                const std::function<void(size_t)>& work);

// The same for steps; merges their outcomes in index order.
StepOutcome MergeInParallel(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                            const std::function<StepOutcome(size_t)>& step);

// The same for steps, but starts no further step once one has failed.
StepOutcome MergeUntilFailure(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                              const std::function<StepOutcome(size_t)>& step);

}  // namespace coppice::operators
