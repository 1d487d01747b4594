#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/answers/runtime.h"
#include "engine/model/result.h"
#include "json/value.h"

namespace coppice::services::scheduler {

// What tells how long groups run. Jobs may be left out; then only pods have deadlines.
struct RuntimeObjects {
  std::span<const json::Value> pods;
  std::span<const json::Value> groups;
  std::span<const json::Value> jobs;
};

struct KnownRuntimes {
  engine::Runtimes runtimes;  // Of groups about which something is known.
  std::vector<engine::InputProblem> problems;
};

// The run time of each group that has not ended, from the first of these that there is:
// - its deadline (activeDeadlineSeconds of its Job or its pods), or the annotation
//   kai.scheduler/expected-runtime of the group or its pods; the shorter one if it has both,
// - how long groups took that have ended: those of the same family (FamilyOf) in its namespace;
//   else, if there are at least three, those of its queue with as many pods.
// Annotations that cannot be read, are not positive or are longer than ten years are ignored and
// reported, and so are starts in the future, which count as now.
KnownRuntimes ReadRuntimes(const RuntimeObjects& objects, base::Time now);

// What a name has in common with those of other runs of the same work: without a number or a
// generated suffix at its end. "job/train-17" and "job/train-18" are both "job/train-".
std::string_view FamilyOf(std::string_view shown_as);

}  // namespace coppice::services::scheduler
