#include "engine/explain/trial.h"

#include <algorithm>

#include "engine/state/jobs/status.h"

namespace coppice::engine {

int64_t UnitOf(int resource) {
  return resource == kGpu ? kGpuUnit : resource == kMemory ? 1 << 20 : 1;
}

Trial::Trial(Session& session, Allocator& allocator, const Gang& gang)
    : session_(session),
      cluster_(session.cluster),
      allocator_(allocator),
      gang_(gang),
      statement_(session),
      tasks_(gang.TasksToAllocate(true)),
      surplus_(gang.SetSatisfied(0)) {
  if (!surplus_) return;
  tasks_.clear();
  for (TaskId task : gang_.AllTasks()) {
    if (cluster_.tasks()[task].status == TaskStatus::kPending) tasks_.push_back(task);
  }
}

// Surplus pods are placed step by step, and each step may succeed.
bool Trial::Place(JobErrors* errors) {
  // Reported errors come from all nodes as they are. A mere trial uses its own node set, so that no
  // cached node order is used.
  const NodeSet own = errors ? NodeSet() : cluster_.node_order();
  const NodeSet& nodes = errors ? cluster_.node_order() : own;
  allocator_.node_queues().BeginSet();
  bool placed = allocator_.AllocateJob(statement_, gang_, nodes, true, errors);
  while (placed && surplus_ && !gang_.TasksToAllocate(true).empty()) {
    placed = allocator_.AllocateJob(statement_, gang_, nodes, true, errors);
  }
  allocator_.node_queues().BeginSet();
  return placed;
}

bool Trial::Runs(const std::vector<Missing>& added, JobErrors* errors) {
  const auto mark = statement_.Mark();
  Add(added);
  const bool placed = Place(errors);
  statement_.Rollback(mark);
  return placed;
}

bool Trial::StepRuns() {
  const auto mark = statement_.Mark();
  const NodeSet nodes = cluster_.node_order();
  allocator_.node_queues().BeginSet();
  const bool placed = allocator_.AllocateJob(statement_, gang_, nodes, true, nullptr);
  allocator_.node_queues().BeginSet();
  statement_.Rollback(mark);
  return placed;
}

std::vector<std::pair<TaskId, NodeId>> Trial::PlacesFor(const std::vector<Missing>& added) {
  const auto mark = statement_.Mark();
  Add(added);
  std::vector<std::pair<TaskId, NodeId>> places;
  if (Place(nullptr)) {
    for (TaskId task : tasks_) places.emplace_back(task, cluster_.tasks()[task].node);
  }
  statement_.Rollback(mark);
  return places;
}

std::vector<NodeId> Trial::WaitsOn() {
  const auto mark = statement_.Mark();
  std::vector<NodeId> nodes;
  Place(nullptr);
  for (TaskId id : tasks_) {
    const Task& task = cluster_.tasks()[id];
    if (task.status == TaskStatus::kPipelined) nodes.push_back(task.node);
  }
  statement_.Rollback(mark);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::vector<TaskId> Trial::StuckOn(NodeId node) const {
  std::vector<TaskId> stuck;
  for (TaskId id = cluster_.tasks().FirstOn(node); id != kNone;
       id = cluster_.tasks()[id].next_on_node) {
    if (cluster_.tasks()[id].status == TaskStatus::kStuckInReleasing) stuck.push_back(id);
  }
  return stuck;
}

std::vector<Missing> Trial::HeldByStuck() const {
  std::vector<Missing> held;
  for (NodeId node : cluster_.node_order()) {
    for (TaskId id : StuckOn(node)) {
      const Amounts& request = cluster_.ClassOf(id).request;
      for (int i = 0; i < static_cast<int>(request.size()); ++i) {
        if (request[i] > 0) held.push_back({node, request[i] / UnitOf(i), i});
      }
    }
  }
  return held;
}

void Trial::Add(const std::vector<Missing>& missing) {
  for (const auto& [node, units, resource] : missing) {
    cluster_.AddIdle(node, resource, units * UnitOf(resource));
  }
}

void Trial::EvictOthers() {
  for (TaskId id = 0; id < static_cast<TaskId>(cluster_.tasks().size()); ++id) {
    const Task& task = cluster_.tasks()[id];
    const bool own = task.job == gang_.id();
    if (!own && task.node != kNone && task.job != kNone && IsActive(task.status)) {
      statement_.Evict(id);
    }
  }
  Add(HeldByStuck());
}

}  // namespace coppice::engine
