#include "engine/actions/actions.h"
#include "engine/order/job_order.h"
#include "engine/order/surplus_hold.h"

namespace coppice::engine {
namespace {

bool HasAllocated(const Gang& gang) {
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    if (gang.Counts(i).In(kAllocatedMask) > 0) return true;
  }
  return false;
}

size_t CountPending(const Cluster& cluster) {
  size_t pending = 0;
  for (JobId id : cluster.job_order()) {
    for (const auto& pod_set : cluster.jobs()[id].pod_sets) {
      pending += static_cast<size_t>(pod_set.counts.Of(TaskStatus::kPending));
    }
  }
  return pending;
}

}  // namespace

void RunAllocate(ActionContext& context) {
  Session& session = context.session;
  JobOrder::Options options;
  options.only_pending = options.only_ready = true;
  auto depth = session.config.queue_depth_per_action.find("allocate");
  if (depth != session.config.queue_depth_per_action.end()) options.depth = depth->second;
  JobOrder order(session, options);
  order.AddAll();
  session.result.binds.reserve(session.result.binds.size() + CountPending(session.cluster));
  Statement statement(session);
  SurplusHold surplus(session);
  while (!order.empty()) {
    Gang gang = order.Pop();
    JobRecord& job = session.job(gang.id());
    const bool had_allocated = HasAllocated(gang), had_minimum = gang.SetSatisfied(0);
    ++session.counters().groups_acted_on;
    if (!context.allocator.AllocateJob(statement, gang, session.cluster.node_order(), true,
                                       &job.errors) ||
        (had_minimum && surplus.Holds(gang))) {
      statement.Discard();
      continue;
    }
    const bool pipelined = gang.MustPipeline();
    if (pipelined) statement.ConvertAllocatedToPipelined(gang.id());
    statement.Commit();
    ++session.counters().groups_scheduled;
    if (!pipelined && !had_allocated) job.last_start = session.now;
    if (gang.HasPending()) order.Push(std::move(gang));
  }
  surplus.Close();
}

}  // namespace coppice::engine
