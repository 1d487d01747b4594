#include "operator/scalinggroup/termination.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "operator/common/children.h"

namespace coppice::operators::scalinggroup {
namespace {

// The time until each breached replica is terminated.
std::map<int, base::Duration> BreachedReplicas(const Pass& pass) {
  std::map<int, base::Duration> breached;
  for (int j = 0; j < pass.group.spec.replicas; ++j) {
    for (const api::grove::PodClique* clique : pass.CliquesOf(j)) {
      const auto left = TimeLeft(pass.set, clique->status.conditions, pass.context.Now());
      if (!left || !WasEverScheduled(*clique)) continue;
      const auto [entry, is_new] = breached.emplace(j, *left);
      if (!is_new) entry->second = std::min(entry->second, *left);
    }
  }
  return breached;
}

}  // namespace

StepOutcome TerminateBreachedReplicas(Pass& pass) {
  const std::map<int, base::Duration> breached = BreachedReplicas(pass);
  const int left = pass.group.spec.replicas - static_cast<int>(breached.size());
  if (breached.empty() || left < pass.group.spec.MinAvailable()) return StepOutcome::Done();
  StepOutcome outcome = StepOutcome::Done();
  for (const auto& [replica, time] : breached) {
    if (time > base::Duration::zero()) {
      outcome.Merge(StepOutcome::ContinueAndRequeue(
          fmt::format("replica {} is below its minimum", replica), time));
      continue;
    }
    OPERATOR_TRY("ERR_DELETE_PODCLIQUE", "Sync", DeleteReplica(pass, replica));
  }
  return outcome;
}

}  // namespace coppice::operators::scalinggroup
