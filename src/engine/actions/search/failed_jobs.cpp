#include "engine/actions/search/failed_jobs.h"

#include <algorithm>

namespace coppice::engine {

FailedJobs::Requests FailedJobs::PendingOf(const Gang& gang) const {
  Requests requests;
  for (TaskId task : gang.AllTasks()) {
    if (session_.cluster.tasks()[task].status == TaskStatus::kPending) {
      requests.push_back(&session_.cluster.ClassOf(task).request);
    }
  }
  std::stable_sort(requests.begin(), requests.end(), [](const Amounts* a, const Amounts* b) {
    return LessEqual(*a, *b) && !LessEqual(*b, *a);
  });
  return requests;
}

bool FailedJobs::WorthTrying(const Gang& gang) const {
  if (!session_.config.use_scheduling_signatures) return true;
  if (smallest_.empty()) return true;
  auto failed = smallest_.find(session_.cluster.SignatureOf(gang.id()));
  if (failed == smallest_.end()) return true;
  const Requests mine = PendingOf(gang);
  const Requests& theirs = failed->second;
  if (mine.empty() || theirs.empty()) return false;
  if (theirs.size() > mine.size()) return true;
  for (size_t i = 0; i < mine.size(); ++i) {
    if (i >= theirs.size()) return false;
    if (LessEqual(*mine[i], *theirs[i]) && !LessEqual(*theirs[i], *mine[i])) return true;
  }
  return false;
}

void FailedJobs::Add(const Gang& gang) {
  if (!session_.config.use_scheduling_signatures) return;
  Requests mine = PendingOf(gang);
  auto [found, added] = smallest_.try_emplace(session_.cluster.SignatureOf(gang.id()), mine);
  if (added) return;
  if (mine.size() > found->second.size()) return;
  for (size_t i = 0; i < mine.size(); ++i) {
    if (!LessEqual(*mine[i], *found->second[i])) return;
  }
  found->second = std::move(mine);
}

}  // namespace coppice::engine
