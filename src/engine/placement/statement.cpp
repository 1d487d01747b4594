#include "engine/placement/statement.h"

#include <algorithm>

#include "engine/cycle/cycle_plugins.h"

namespace coppice::engine {

Statement::Statement(Session& session)
    : session_(session), cluster_(session.cluster), start_(session.cluster.journal().Mark()) {}

Statement::~Statement() = default;

void Statement::Rollback(Checkpoint mark) {
  cluster_.journal().RollbackTo(mark.journal);
  while (operations_.size() > mark.operations) operations_.pop_back();
}

void Statement::OnAllocate(TaskId task, NodeId node) {
  cluster_.ChargeQueue(cluster_.tasks()[task].job, task, node, +1);
  ForEach<Point::kReserve>(session_, [&](auto& plugin) { plugin.OnAllocate(task, node); });
}

void Statement::OnDeallocate(TaskId task, NodeId node) {
  cluster_.ChargeQueue(cluster_.tasks()[task].job, task, node, -1);
  ForEach<Point::kReserve>(session_, [&](auto& plugin) { plugin.OnDeallocate(task, node); });
}

void Statement::Evict(TaskId id) {
  const Task& task = cluster_.tasks()[id];
  if (!IsUsed(task.status)) return;
  // A scenario may list a task twice. As in upstream, its queue is credited twice while the
  // scenario is tried; the task is evicted, and counted in the commit, once.
  if (task.status == TaskStatus::kReleasing && task.is_virtual) {
    operations_.push_back({Kind::kEvictAgain, id, task.node, task.status, true, true, {}});
    cluster_.ChargeQueue(task.job, id, task.node, -1);
    return;
  }
  auto [first, added] = evictions_.try_emplace(id, operations_.size());
  if (!added && !Evicts(first->second, id)) first->second = operations_.size();
  operations_.push_back({Kind::kEvict, id, task.node, task.status, task.is_virtual, true,
                         task.extras ? task.extras->zones : std::vector<ZoneAmount>{}});
  cluster_.Uncharge(task.node, id, task.status, task.groups);
  cluster_.Charge(task.node, id, TaskStatus::kReleasing, task.groups);
  cluster_.SetStatus(id, TaskStatus::kReleasing);
  OnDeallocate(id, task.node);
  cluster_.SetVirtual(id, true);
}

bool Statement::Holds(const Task& task, NodeId node) const {
  if (task.node == node) return true;
  for (int32_t at = task.other_places; at != kNone; at = cluster_.tasks().places()[at].next) {
    if (cluster_.tasks().places()[at].node == node) return true;
  }
  return false;
}

bool Statement::Evicts(size_t at, TaskId task) const {
  if (at >= operations_.size()) return false;
  const Operation& operation = operations_[at];
  return operation.kind == Kind::kEvict && operation.task == task && operation.valid;
}

// The first eviction that is still valid. O(1), unless a rollback restored an older one.
Statement::Operation* Statement::EvictionOf(TaskId id) {
  const auto known = evictions_.find(id);
  if (known == evictions_.end()) return nullptr;
  if (Evicts(known->second, id)) return &operations_[known->second];
  for (size_t at = 0; at < operations_.size(); ++at) {
    if (!Evicts(at, id)) continue;
    known->second = at;
    return &operations_[at];
  }
  return nullptr;
}

bool Statement::Unevict(TaskId id) {
  Operation* operation = EvictionOf(id);
  if (!operation) return false;
  const Task& task = cluster_.tasks()[id];
  cluster_.journal().Save(operation->valid);
  operation->valid = false;
  cluster_.Uncharge(task.node, id, task.status, task.groups);
  cluster_.Charge(task.node, id, operation->previous, task.groups);
  cluster_.SetStatus(id, operation->previous);
  if (task.extras && task.extras->zones != operation->zones) {
    cluster_.SetZones(id, operation->zones);
  }
  OnAllocate(id, task.node);
  cluster_.SetVirtual(id, operation->previous_virtual);
  return true;
}

// The charge at the task's current place either stays as that of a moved task or is reverted.
void Statement::LeavePlace(TaskId id, bool keep) {
  const Task& task = cluster_.tasks()[id];
  if (keep) {
    cluster_.LeaveBehind(id);
  } else {
    cluster_.Uncharge(task.node, id, task.status, task.groups);
  }
}

void Statement::Place(TaskId id, NodeId node, int32_t groups, std::vector<ZoneAmount> zones,
                      TaskStatus status) {
  const Task& task = cluster_.tasks()[id];
  cluster_.MoveTask(id, node, groups, status == TaskStatus::kPipelined);
  if (!zones.empty() || (task.extras && !task.extras->zones.empty())) {
    cluster_.SetZones(id, std::move(zones));
  }
  cluster_.Charge(node, id, status, groups);
  cluster_.SetStatus(id, status);
  OnAllocate(id, node);
  session_.touched.push_back(id);
}

void Statement::Pipeline(TaskId id, NodeId node, int32_t groups, std::vector<ZoneAmount> zones,
                         bool update) {
  const Task& task = cluster_.tasks()[id];
  if (task.node != kNone && IsUsed(task.status)) {
    const bool other_groups = groups != 0 && groups != task.groups;
    const bool other_zones = !zones.empty() && (!task.extras || task.extras->zones != zones);
    const bool stays = task.node == node;
    // As in upstream, returning to a node that it left earlier in the cycle restores the place it
    // was evicted from; but unlike upstream only if that place has not been taken since.
    const bool back = Holds(task, node) && !update && !other_groups && !other_zones &&
                      (stays || cluster_.FitsIdleOrReleasing(id, task.node));
    if (back && Unevict(id)) return;
    LeavePlace(id, !stays || other_groups);
  }
  operations_.push_back({Kind::kPipeline, id, node, task.status, task.is_virtual, true, {}});
  Place(id, node, groups, std::move(zones), TaskStatus::kPipelined);
}

void Statement::Allocate(TaskId id, NodeId node, int32_t groups, std::vector<ZoneAmount> zones) {
  const Task& task = cluster_.tasks()[id];
  operations_.push_back({Kind::kAllocate, id, node, task.status, task.is_virtual, true, {}});
  Place(id, node, groups, std::move(zones), TaskStatus::kAllocated);
}

std::map<JobId, std::vector<TaskId>> Statement::Victims() const {
  std::map<JobId, std::vector<TaskId>> victims;
  for (const auto& operation : operations_) {
    if (operation.kind != Kind::kEvict || !operation.valid) continue;
    const Task& task = cluster_.tasks()[operation.task];
    if (task.status == TaskStatus::kReleasing) victims[task.job].push_back(operation.task);
  }
  return victims;
}

void Statement::CountVictimsOnce() {
  for (auto& operation : operations_) {
    if (operation.kind != Kind::kEvictAgain || !operation.valid) continue;
    cluster_.journal().Save(operation.valid);
    operation.valid = false;
    cluster_.ChargeQueue(cluster_.tasks()[operation.task].job, operation.task, operation.node, +1);
  }
}

void Statement::ConvertAllocatedToPipelined(JobId job) {
  for (auto& operation : operations_) {
    if (operation.kind != Kind::kAllocate || cluster_.tasks()[operation.task].job != job) continue;
    const Task& task = cluster_.tasks()[operation.task];
    cluster_.SetPlanned(operation.task, true);
    cluster_.Uncharge(task.node, operation.task, TaskStatus::kAllocated, task.groups);
    cluster_.Charge(task.node, operation.task, TaskStatus::kPipelined, task.groups);
    cluster_.SetStatus(operation.task, TaskStatus::kPipelined);
    cluster_.journal().Save(operation.kind);
    operation.kind = Kind::kPipeline;
  }
}

void Statement::Commit(const EvictionText& text, std::optional<JobId> preemptor) {
  const auto together = std::count_if(
      operations_.begin(), operations_.end(),
      [](const Operation& operation) { return operation.valid && operation.kind == Kind::kEvict; });
  for (const auto& operation : operations_) {
    if (!operation.valid) continue;
    switch (operation.kind) {
      case Kind::kEvict: {
        const JobId job = cluster_.tasks()[operation.task].job;
        EvictDecision decision{session_.KeyOfPod(operation.task),
                               session_.KeyOf(job),
                               std::string(cluster_.Text(cluster_.nodes()[operation.node].name)),
                               text ? text(operation.task) : "",
                               session_.action,
                               static_cast<int>(together),
                               {}};
        if (preemptor) decision.preemptor = session_.KeyOf(*preemptor);
        session_.result.evictions.push_back(std::move(decision));
        session_.touched.push_back(operation.task);
        cluster_.NotVirtual(operation.task);
        cluster_.RecordOf(job).last_eviction = session_.now;
        break;
      }
      case Kind::kEvictAgain:
        break;
      case Kind::kPipeline:
        CommitPipeline(operation);
        break;
      case Kind::kAllocate:
        CommitAllocate(operation);
        break;
    }
  }
  operations_.clear();
  evictions_.clear();
  cluster_.journal().Forget();
  start_ = 0;
}

void Statement::CommitPipeline(const Operation& operation) {
  const Task& task = cluster_.tasks()[operation.task];
  PipelineDecision decision{session_.KeyOfPod(operation.task),
                            std::string(cluster_.Text(cluster_.nodes()[operation.node].name)),
                            {}};
  for (NameId group : cluster_.name_lists()[task.groups]) {
    decision.gpu_groups.emplace_back(cluster_.Text(group));
  }
  session_.result.pipelined.push_back(std::move(decision));
}

void Statement::CommitAllocate(const Operation& operation) {
  const Task& task = cluster_.tasks()[operation.task];
  const PodClass& cls = cluster_.ClassOf(task);
  const Node& node = cluster_.nodes()[task.node];
  cluster_.SetStatus(operation.task, TaskStatus::kBinding);
  BindDecision decision;
  decision.pod = session_.KeyOfPod(operation.task);
  decision.node = cluster_.Text(node.name);
  decision.action = session_.action;
  decision.gpu_count = cls.gpu.count;
  decision.gpu_portion = cls.gpu.portion;
  if (cls.gpu.shared()) {
    decision.received = ReceivedType::kFraction;
    decision.gpu_portion = static_cast<double>(PortionPercentOn(cls.gpu, node.gpu_memory)) / 100;
    for (NameId group : cluster_.name_lists()[task.groups]) {
      decision.gpu_groups.emplace_back(cluster_.Text(group));
    }
  } else if (!cls.gpu.mig.empty()) {
    decision.received = ReceivedType::kMigInstance;
  }
  if (task.extras && (session_.devices || session_.numa)) {
    auto extras = std::make_shared<BindExtras>();
    ForEach<Point::kReserve>(session_,
                             [&](const auto& plugin) { plugin.Describe(operation.task, *extras); });
    // The next cycle may start before the claims' status shows it.
    if (session_.devices) cluster_.NoteClaims(operation.task, extras->claim_allocations);
    decision.extras = std::move(extras);
  }
  session_.result.binds.push_back(std::move(decision));
}

}  // namespace coppice::engine
