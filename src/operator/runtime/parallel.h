#pragma once

#include <cstddef>
#include <functional>

#include "kube/executor/priority.h"
#include "kube/process/manager.h"
#include "operator/runtime/step_outcome.h"

namespace coppice::operators {

// How many writes of one pass are under way at once: enough that a pass waits for the server's
// throughput and not for each answer, few enough that other passes are not held up.
inline constexpr size_t kAtATime = 8;

// Calls `work` once with each number below `count`, at most kAtATime at a time, and returns when
// all are done. The caller works too, at first alone; once that has taken long enough for help to
// be worth its while, tasks of the executor help where they get to: a busy executor, or one of a
// single thread, costs speed and never progress. Nobody helps while work of a higher priority is in
// progress in this process.
void InParallel(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                const std::function<void(size_t)>& work);

// The same for steps: what they said, folded in the order of their numbers.
StepOutcome MergeInParallel(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                            const std::function<StepOutcome(size_t)>& step);

// The same for steps of which none begins once one has failed.
StepOutcome MergeUntilFailure(const kube::Runtime& runtime, kube::Priority priority, size_t count,
                              const std::function<StepOutcome(size_t)>& step);

}  // namespace coppice::operators
