#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/actions/actions.h"
#include "engine/actions/job_order.h"
#include "engine/actions/search/failed_jobs.h"
#include "engine/actions/search/solver.h"

// What consolidation, reclaim and preempt have in common.

namespace coppice::engine {

// False, with the error noted on pod and group, when no eviction could help.
bool VictimInvariantHolds(ActionContext& context, const Gang& gang);

struct SearchSpec {
  Solver::Problem problem;
  Statement::EvictionText text;
};
// Searches and commits. False: the action is over for this cycle. `placed` tells the outcome.
bool SearchAndCommit(ActionContext& context, SearchBudget& budget, const SearchSpec& spec,
                     bool& placed);

JobOrder::Options ActionOptions(const Session& session, const std::string& action);

}  // namespace coppice::engine
