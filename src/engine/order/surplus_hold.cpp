#include "engine/order/surplus_hold.h"

#include "engine/session/messages.h"

namespace coppice::engine {
namespace {

bool WaitsForItsMinimum(const Gang& gang) {
  int waiting = 0;
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    const StatusCounts counts = gang.Counts(i);
    waiting += counts.Of(TaskStatus::kPending) + counts.Of(TaskStatus::kGated);
  }
  return waiting > 0 && !gang.SetSatisfied(0);
}

}  // namespace

void SurplusHold::FindWaiting() {
  searched_ = true;
  for (JobId id : session_.cluster.job_order()) {
    const NameId set = session_.cluster.jobs()[id].set;
    if (set != 0 && WaitsForItsMinimum(Gang(session_.cluster, id))) waiting_.try_emplace(set, id);
  }
}

// Gangs below their minimum are served before surplus pods, so the gangs that wait when the first
// surplus pod is served have already been tried.
JobId SurplusHold::WaitingIn(NameId set) {
  if (!searched_) FindWaiting();
  const auto found = waiting_.find(set);
  return found == waiting_.end() ? kNone : found->second;
}

std::optional<SurplusHold::Hold> SurplusHold::Find(const Gang& gang) {
  const base::Duration delay = session_.config.surplus_delay;
  const NameId set = gang.job().set;
  if (delay.count() <= 0 || set == 0) return std::nullopt;
  const JobId waiting = WaitingIn(set);
  if (waiting == kNone) return std::nullopt;
  const auto& earlier = session_.cluster.surplus_held_since();
  const auto found = earlier.find(set);
  const base::Time since = found == earlier.end() ? session_.now : found->second;
  if (session_.now >= since + delay) return std::nullopt;
  return Hold{JobName(session_.cluster, waiting, gang.job().namespace_name), since, since + delay};
}

bool SurplusHold::Holds(const Gang& gang) {
  const std::optional<Hold> hold = Find(gang);
  if (!hold) return false;
  held_since_[gang.job().set] = hold->since;
  JobRecord& job = session_.job(gang.id());
  job.held = true;
  job.errors.Add(SurplusHeldError(hold->waiting, hold->until));
  return true;
}

void SurplusHold::Close() { session_.cluster.surplus_held_since() = std::move(held_since_); }

}  // namespace coppice::engine
