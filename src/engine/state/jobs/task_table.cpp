#include "engine/state/jobs/task_table.h"

#include "engine/state/values/operations.h"

namespace coppice::engine {

TaskId TaskTable::New(NameId uid) {
  TaskId id = static_cast<TaskId>(tasks_.size());
  if (free_.empty()) {
    tasks_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  ids_[uid] = id;
  tasks_[id].exists = true;
  tasks_[id].uid = uid;
  return id;
}

void TaskTable::Drop(TaskId id) {
  ids_.erase(tasks_[id].uid);
  tasks_[id] = Task{};
  free_.push_back(id);
}

void TaskTable::SetHome(TaskId id, NodeId node) {
  if (tasks_[id].home == node) return;
  Unlink(id);
  if (node != kNone) Link(id, node);
}

void TaskTable::Link(TaskId id, NodeId node) {
  if (node >= static_cast<NodeId>(first_on_.size())) {
    first_on_.resize(static_cast<size_t>(node) + 1, kNone);
  }
  Task& task = tasks_[id];
  task.next_on_node = first_on_[node];
  task.previous_on_node = kNone;
  if (task.next_on_node != kNone) tasks_[task.next_on_node].previous_on_node = id;
  first_on_[node] = id;
  task.home = node;
}

void TaskTable::Unlink(TaskId id) {
  Task& task = tasks_[id];
  if (task.home == kNone) return;
  if (task.previous_on_node != kNone) {
    tasks_[task.previous_on_node].next_on_node = task.next_on_node;
  } else {
    first_on_[task.home] = task.next_on_node;
  }
  if (task.next_on_node != kNone) {
    tasks_[task.next_on_node].previous_on_node = task.previous_on_node;
  }
  task.next_on_node = task.previous_on_node = task.home = kNone;
}

void TaskTable::LeaveBehind(TaskId id) {
  Task& task = tasks_[id];
  places_.push_back({task.node, task.is_planned, task.groups, task.other_places});
  journal_.Operation(kShrinkPlaces, 0, 0, 0);
  journal_.Save(task.other_places);
  task.other_places = static_cast<int32_t>(places_.size()) - 1;
}

}  // namespace coppice::engine
