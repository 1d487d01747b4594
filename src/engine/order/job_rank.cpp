#include "engine/order/job_rank.h"

#include "engine/framework/ordered.h"

namespace coppice::engine {

static_assert(JobOrderPlugin<PriorityOrder> && JobOrderPlugin<ElasticOrder>);

int GangState(const Gang& gang) {
  bool above = false;
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    const int active = gang.Active(i), min = gang.Min(i);
    if (active < min) return 0;
    above |= active > min;
  }
  return above ? 2 : 1;
}

JobRank KeyOf(const Gang& gang) {
  const Job& job = gang.job();
  return {job.priority, job.creation, job.id_rank, GangState(gang)};
}

bool InOrder(const std::vector<uint8_t>& orders, const JobRank& l, const JobRank& r) {
  if (const int order = CompareBy<JobOrders>(orders, l, r)) return order < 0;
  if (l.creation != r.creation) return l.creation < r.creation;
  return l.rank < r.rank;
}

}  // namespace coppice::engine
