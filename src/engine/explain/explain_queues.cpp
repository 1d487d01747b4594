#include "engine/explain/explain_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/explain/amount_text.h"
#include "engine/explain/evidence.h"

namespace coppice::engine {
namespace {

constexpr const char* kResourceNames[3] = {"cpu", "memory", "gpu"};
constexpr const char* kTitles[3] = {"CPU", "memory", "GPU"};
// From our units to those of the Queue API: millicores, 10^6 bytes, GPUs.
constexpr double kQueueUnits[3] = {1, 1e6, kGpuUnit};

std::string Text(const Cluster& cluster, int resource, double amount) {
  return AmountText(cluster.resources(), resource, std::llround(amount));
}

// "by 2 GPUs, to 6 GPUs"; memory in the units of the Queue API.
std::string ByAndTo(const Cluster& cluster, int resource, double by, double to) {
  if (resource != kMemory) {
    return fmt::format("by {}, to {}", Text(cluster, resource, by), Text(cluster, resource, to));
  }
  return fmt::format("to {} MB ({})", std::ceil(to / 1e6), Text(cluster, resource, to));
}

}  // namespace

RaisedQueues::RaisedQueues(Session& session, const Gang& gang, const std::vector<TaskId>& tasks)
    : cluster_(session.cluster) {
  if (!session.plugins.proportion) return;
  const Job& job = gang.job();
  const Quantities request = session.shares.CapacityRequest(tasks);
  for (QueueId at = job.queue; at != kNone; at = cluster_.queues()[at].parent) {
    QueueAmounts& queue = cluster_.AmountsOf(at);
    saved_.push_back({at, queue.limit, queue.deserved});
    Raise(true, at, queue.allocated, queue.limit, request);
    if (!job.preemptible) {
      Raise(false, at, queue.allocated_non_preemptible, queue.deserved, request);
    }
  }
}

RaisedQueues::~RaisedQueues() {
  for (const auto& [id, limit, deserved] : saved_) {
    cluster_.AmountsOf(id).limit = limit;
    cluster_.AmountsOf(id).deserved = deserved;
  }
}

void RaisedQueues::Raise(bool limit, QueueId queue, const Sums& allocated, Quantities& bound,
                         const Quantities& request) {
  for (int i = 2; i >= 0; --i) {
    const auto used = static_cast<double>(allocated[i]);
    if (bound[i] == kUnlimited || request[i] == 0 || used + request[i] <= bound[i]) continue;
    raised_.push_back({limit, cluster_.queues()[queue].spec->name, i, bound[i], used, request[i]});
    bound[i] = used + request[i];
  }
}

std::vector<Explanation::Change> RaisedQueues::Changes() const {
  std::vector<Explanation::Change> changes;
  for (const Raised& each : raised_) {
    const double to = each.used + each.requested, by = to - each.bound;
    const char* what = each.limit ? "limit" : "quota";
    changes.push_back({each.limit ? "raiseLimit" : "raiseQuota", each.queue,
                       by / kQueueUnits[each.resource], kResourceNames[each.resource],
                       fmt::format("raise the {} {} of queue {} {}", kTitles[each.resource], what,
                                   each.queue, ByAndTo(cluster_, each.resource, by, to))});
  }
  return changes;
}

std::vector<Explanation::Change> RaisedQueues::Alternative() const {
  const bool limited =
      std::any_of(raised_.begin(), raised_.end(), [](const Raised& each) { return each.limit; });
  if (limited || raised_.empty()) return {};
  return {{"makePreemptible", raised_.front().queue, 1, "",
           "let it be preempted: give it a priority class below 100, such as `train`"}};
}

void RaisedQueues::Explain(Explanation& out) const {
  const Raised& first = raised_.front();
  const bool alone = std::any_of(raised_.begin(), raised_.end(),
                                 [](const Raised& each) { return each.requested > each.bound; });
  out.verdict = std::max(out.verdict, alone ? Verdict::kNeedsAction : Verdict::kWaits);
  out.reason = first.limit ? "Limit" : "Quota";
  const std::string bound = Text(cluster_, first.resource, first.bound);
  const std::string used = Text(cluster_, first.resource, first.used);
  const std::string requested = Text(cluster_, first.resource, first.requested);
  const std::string queue =
      first.limit ? fmt::format("queue {} is limited to {} and uses {}; it asks for {} more",
                                first.queue, bound, used, requested)
                  : fmt::format(
                        "queue {} has a quota of {} for work that cannot be preempted and uses {} "
                        "of it; it asks for {} more",
                        first.queue, bound, used, requested);
  const bool room = !out.summary.empty();
  out.summary = room ? fmt::format("{}; besides, {}", queue, out.summary) : queue;
  out.evidence[first.limit ? evidence::kLimit : evidence::kQuota] =
      first.bound / kQueueUnits[first.resource];
  out.evidence[evidence::kAllocated] = first.used / kQueueUnits[first.resource];
}

std::string OverQuotaText(const Session& session, const Gang& gang,
                          const std::vector<TaskId>& tasks) {
  if (!session.plugins.proportion) return "";
  const Quantities request = session.shares.CapacityRequest(tasks);
  for (QueueId at = gang.job().queue; at != kNone; at = session.cluster.queues()[at].parent) {
    const Queue& queue = session.cluster.queues()[at];
    const double quota = queue.deserved[2], used = static_cast<double>(queue.allocated[2]);
    if (quota == kUnlimited || request[2] == 0 || used + request[2] <= quota || quota == 0)
      continue;
    return fmt::format("; queue {} would go beyond its quota of {}, so that it cannot reclaim any",
                       queue.spec->name, Text(session.cluster, kGpu, quota));
  }
  return "";
}

}  // namespace coppice::engine
