#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/actions/actions.h"
#include "engine/actions/search/failed_jobs.h"
#include "engine/actions/search/solver.h"
#include "engine/order/job_order.h"

// Common code of consolidation, reclaim and preempt.

namespace coppice::engine {

// False if no eviction could help; the error is recorded on the pod and the group.
bool VictimInvariantHolds(ActionContext& context, const Gang& gang);

struct SearchSpec {
  Solver::Problem problem;
  Statement::EvictionText text;
};
// Searches and commits. Returns false if the action is over for this cycle; `placed` is the
// outcome.
bool SearchAndCommit(ActionContext& context, SearchBudget& budget, const SearchSpec& spec,
                     bool& placed);

JobOrder::Options ActionOptions(const Session& session, const std::string& action);

}  // namespace coppice::engine
