#include "engine/close_cycle.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/devices/device_planner.h"
#include "engine/session/messages.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

std::string Prefix(const Job& job) {
  return job.spec->scheduling_backoff == 1 ? fmt::format("Node-Pool '{}': ", NodePoolOf(job)) : "";
}

// `otherwise`: the message for pods without errors of their own.
PodMessage MessageFor(const Session& session, const std::string& prefix, TaskId id,
                      const std::string& otherwise) {
  const Task& task = session.cluster.tasks()[id];
  const bool own = task.extras && task.extras->errors;
  std::string detail = own ? task.extras->errors->Text() : otherwise;
  std::string message = prefix + detail;
  return {session.KeyOfPod(id), std::move(message), std::move(detail), false};
}

void DescribeWaiting(const Session& session, const Gang& gang, GroupStatus& status) {
  const Job& job = gang.job();
  const Names& names = session.cluster.names();
  const std::string prefix = Prefix(job), text = job.errors.Text(names);
  const std::string otherwise = job.errors.empty() ? kUnableToSchedulePod : text;
  status.message = prefix + text;
  status.detail = job.errors.DetailedText(names);
  status.errors = job.errors.All(names);
  for (TaskId task : gang.AllTasks()) {
    if (session.cluster.tasks()[task].status == TaskStatus::kPending) {
      status.pods.push_back(MessageFor(session, prefix, task, otherwise));
    }
  }
}

GroupStatus DescribeJob(const Session& session, JobId id) {
  const Cluster& cluster = session.cluster;
  const Gang gang(cluster, id);
  const Job& job = gang.job();
  GroupStatus status;
  status.group = session.KeyOf(id);
  status.last_start = job.last_start;
  status.last_eviction = job.last_eviction;
  status.stale_since = job.stale_since;
  status.stale = job.stale;
  if (job.stale) status.stale_message = StaleText(cluster, gang);
  for (TaskId task : job.unknown) {
    const std::string text =
        fmt::format("Pod references subgroup \"{}\", which does not exist in PodGroup {}/{}",
                    cluster.Text(cluster.tasks()[task].sub_group), cluster.Text(job.namespace_name),
                    cluster.Text(job.name));
    status.pods.push_back({session.KeyOfPod(task), text, text, true});
  }
  int placing = 0;
  for (int i = 0; i < static_cast<int>(job.pod_sets.size()); ++i) {
    const StatusCounts counts = gang.Counts(i);
    status.waiting |= counts.Of(TaskStatus::kPending) + counts.Of(TaskStatus::kGated) > 0;
    status.has_active |= counts.Active() > 0;
    placing += counts.Of(TaskStatus::kAllocated) + counts.Of(TaskStatus::kPipelined) +
               counts.Of(TaskStatus::kBinding);
  }
  if (status.waiting) {
    status.ready = gang.Ready();
    if (status.ready) {
      DescribeWaiting(session, gang, status);
    } else {
      status.not_ready_message = NotReadyText(cluster, gang);
    }
  } else {
    status.clear_conditions = placing == 0;
  }
  return status;
}

// Whether the node is already charged exactly with what the newly bound pod uses: whole amounts,
// which do not depend on the order of charges.
bool ChargedAlready(const Cluster& cluster, const Task& task) {
  const PodClass& cls = cluster.ClassOf(task);
  return task.status == TaskStatus::kBinding && task.home == kNone && task.other_places == kNone &&
         !cls.gpu.shared() && cluster.nodes()[task.node].groups.empty() && !cls.has_host_ports &&
         !cluster.affinity_in_use() && !task.extras;
}

// Makes the decisions the new state and drops what was only planned.
void Settle(Session& session) {
  Cluster& cluster = session.cluster;
  std::vector<NodeId> changed;
  for (TaskId id : session.touched) {
    const Task& task = cluster.tasks()[id];
    if (task.node != kNone && !ChargedAlready(cluster, task)) changed.push_back(task.node);
    for (int32_t at = task.other_places; at != kNone; at = cluster.tasks().places()[at].next) {
      changed.push_back(cluster.tasks().places()[at].node);
    }
    // Where the pod really is, not where this cycle plans it to be.
    NodeId home = task.node;
    int32_t groups = task.groups;
    TaskStatus status = task.status;
    if (task.is_planned) {
      const bool evicted =
          status != TaskStatus::kPipelined || task.other_places != kNone || task.home != kNone;
      status = evicted ? TaskStatus::kReleasing : TaskStatus::kPending;
      if (task.node != task.home) groups = 0;
      home = task.home;
      for (int32_t at = task.other_places; at != kNone; at = cluster.tasks().places()[at].next) {
        if (cluster.tasks().places()[at].planned) continue;
        home = cluster.tasks().places()[at].node;
        groups = cluster.tasks().places()[at].groups;
      }
    }
    if (session.devices && !IsAllocated(status)) session.devices->Restore(id);
    cluster.SettleTask(id, status, home, groups);
  }
  cluster.ForgetPlaces();
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (NodeId node : changed) cluster.RebuildNode(node);
}

QueueShare ShareOf(const Queue& queue) {
  QueueShare share{queue.spec->name, {}, {}, {}, {}};
  for (int i = 0; i < 3; ++i) {
    const double unit = i == 2 ? kGpuUnit : 1;
    share.fair_share[i] = queue.fair_share[i] / unit;
    share.allocated[i] = static_cast<double>(queue.allocated[i]) / unit;
    share.requested[i] = queue.request[i] / unit;
    share.usage[i] = queue.usage[i];
  }
  return share;
}

// Without departments, all other queues are below one queue without quota or limit.
QueueShare TopShare(const Session& session, const std::vector<QueueShare>& queues) {
  QueueShare top{"default", {}, {}, {}, {}};
  for (int i = 0; i < 3; ++i) {
    for (const QueueShare& queue : queues) {
      top.allocated[i] += queue.allocated[i];
      top.requested[i] += queue.requested[i];
    }
    const double unit = i == 2 ? kGpuUnit : 1;
    top.fair_share[i] = std::min(session.shares.total()[i] / unit, top.requested[i]);
  }
  return top;
}

void ReportQueues(Session& session) {
  std::vector<QueueShare>& shares = session.result.queues;
  for (const auto& queue : session.cluster.queues()) {
    if (queue.exists && queue.reachable) shares.push_back(ShareOf(queue));
  }
  const bool named = std::any_of(shares.begin(), shares.end(),
                                 [](const QueueShare& share) { return share.queue == "default"; });
  if (session.config.full_hierarchy_fairness || named) return;
  shares.push_back(TopShare(session, shares));
}

}  // namespace

void MarkStuck(Session& session) {
  if (!session.config.compatibility.Keeps(Quirk::kStuckPods)) return;
  Cluster& cluster = session.cluster;
  for (TaskId id : cluster.Leaving()) {
    const Task& task = cluster.tasks()[id];
    // A pod that was updated several times is listed several times.
    if (task.status != TaskStatus::kReleasing) continue;
    if (session.now - *task.extras->deletion <= session.config.stuck_in_releasing_threshold)
      continue;
    if (task.node != kNone) {
      cluster.Uncharge(task.node, id, TaskStatus::kReleasing, task.groups);
      cluster.Charge(task.node, id, TaskStatus::kStuckInReleasing, task.groups);
    }
    cluster.SetStatus(id, TaskStatus::kStuckInReleasing);
  }
}

void OpenJobs(Session& session) {
  Cluster& cluster = session.cluster;
  for (JobId id : cluster.job_order()) {
    const Job& job = cluster.jobs()[id];
    JobRecord& record = cluster.RecordOf(id);
    const bool had_errors = !job.errors.empty();
    record.errors.clear();
    record.delay_reported = false;
    record.held = false;
    if (job.queue == kNone) {
      const std::string text = fmt::format("Queue '{}' does not exist", job.spec->queue);
      record.errors.Add(FitError{"QueueDoesNotExist", text, text, {}});
    }
    for (TaskId task : had_errors ? job.tasks : std::vector<TaskId>{}) {
      cluster.ForgetErrors(task);
    }
  }
}

CycleResult CloseSession(Session& session) {
  Cluster& cluster = session.cluster;
  std::vector<JobId> described;
  for (JobId id : cluster.job_order()) {
    const Job& job = cluster.jobs()[id];
    const bool waits = Gang(cluster, id).HasPending() || !job.unknown.empty() || job.stale;
    if (waits || job.report) described.push_back(id);
    cluster.RecordOf(id).report = false;
  }
  session.result.groups.reserve(described.size());
  for (JobId id : described) session.result.groups.push_back(DescribeJob(session, id));
  std::sort(session.touched.begin(), session.touched.end());
  session.touched.erase(std::unique(session.touched.begin(), session.touched.end()),
                        session.touched.end());
  ReportQueues(session);
  Settle(session);
  session.result.problems = cluster.Problems();
  return std::move(session.result);
}

}  // namespace coppice::engine
