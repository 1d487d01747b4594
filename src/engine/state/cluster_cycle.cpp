#include "engine/state/cluster.h"
#include "engine/state/jobs/status.h"
#include "engine/state/values/operations.h"

// Changes inside a cycle, and their rollback.

namespace coppice::engine {

void Cluster::BeginCycle() {
  log_.Start();
  journal_.Start();
}

void Cluster::EndCycle() {
  journal_.Stop();
  log_.Stop();
}

void Cluster::Reverse(uint8_t operation, int32_t a, int32_t b, int64_t c) {
  switch (operation) {
    case kSetStatus:
      SetStatus(a, static_cast<TaskStatus>(b));
      break;
    case kChargePlain:
      nodes_.ReverseCharge(a, classes_[b], c);
      break;
    case kChargeQueue:
      ChargeQueue(tasks_[a].job, a, b, static_cast<int>(-c));
      break;
    case kShrinkPlaces:
      tasks_.TakeBackPlace();
      break;
    case kAddIdle:
      nodes_.AddIdle(a, b, -c);
      break;
  }
}

void Cluster::SetStatus(TaskId id, TaskStatus status) {
  Task& task = tasks_[id];
  journal_.Operation(kSetStatus, id, static_cast<int32_t>(task.status), 0);
  if (task.job != kNone && task.pod_set != kNone) {
    jobs_.CountStatus(task.job, task.pod_set, task.status, status);
  }
  task.status = status;
}

void Cluster::ChargeQueue(JobId job_id, TaskId task_id, NodeId node, int sign) {
  const Job& job = jobs_[job_id];
  if (job.queue == kNone) return;
  const Sums accepted = AcceptedOf(tasks_[task_id], node);
  journal_.Operation(kChargeQueue, task_id, node, sign);
  queues_.Charge(job.queue, accepted, job.preemptible, sign);
}

void Cluster::MoveTask(TaskId id, NodeId node, int32_t groups, bool planned) {
  Task& task = tasks_[id];
  journal_.Save(task.node);
  journal_.Save(task.groups);
  journal_.Save(task.is_virtual);
  journal_.Save(task.is_planned);
  task.node = node;
  task.groups = groups;
  task.is_virtual = true;
  task.is_planned = planned;
}

void Cluster::SetVirtual(TaskId id, bool is_virtual) {
  journal_.Save(tasks_[id].is_virtual);
  tasks_[id].is_virtual = is_virtual;
}

void Cluster::SetPlanned(TaskId id, bool planned) {
  journal_.Save(tasks_[id].is_planned);
  tasks_[id].is_planned = planned;
}

void Cluster::SetZones(TaskId id, std::vector<ZoneAmount> zones) {
  TaskExtras& extras = tasks_[id].extras.Get();
  journal_.SaveObject(extras.zones);
  extras.zones = std::move(zones);
}

void Cluster::SetExtendedClaim(TaskId id, std::optional<ClaimAllocation> allocation) {
  TaskExtras& extras = tasks_[id].extras.Get();
  journal_.SaveObject(extras.extended_claim);
  extras.extended_claim = std::move(allocation);
}

}  // namespace coppice::engine
