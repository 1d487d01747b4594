#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "engine/state/jobs/task.h"
#include "engine/state/values/journal.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// The pods by dense ids, which are reused after a pod is gone.
//
// Invariants: every existing task can be found by its uid, and every unused id is in the free list.
// The list of a node has exactly the tasks whose `home` it is. The additional places where a task
// is charged are a linked list starting at `other_places`, and are cleared at the end of the cycle.
// claimants() has the tasks with resource claims. Cluster keeps the rest of a task consistent with
// nodes, jobs and queues.
class TaskTable {
 public:
  explicit TaskTable(Journal& journal) : journal_(journal) {}

  TaskId Find(NameId uid) const {
    const auto found = ids_.find(uid);
    return found == ids_.end() ? kNone : found->second;
  }
  size_t size() const { return tasks_.size(); }  // The number of ids ever assigned.
  const Task& operator[](TaskId id) const { return tasks_[id]; }
  Task& operator[](TaskId id) { return tasks_[id]; }
  auto begin() const { return tasks_.begin(); }
  auto end() const { return tasks_.end(); }

  TaskId New(NameId uid);
  // It must not be in any node's list.
  void Drop(TaskId id);

  // The first pod that is on the node according to the API; Task::next_on_node is the next.
  TaskId FirstOn(NodeId node) const {
    return node < static_cast<NodeId>(first_on_.size()) ? first_on_[node] : kNone;
  }
  // Moves it to the list of a node; kNone: to none.
  void SetHome(TaskId id, NodeId node);

  const std::vector<OtherPlace>& places() const { return places_; }
  // Keeps the charge at the task's current place while it moves on. Recorded in the journal.
  void LeaveBehind(TaskId id);
  void TakeBackPlace() { places_.pop_back(); }
  void ForgetPlaces() { places_.clear(); }

  const std::vector<TaskId>& claimants() const { return claimants_; }
  void AddClaimant(TaskId id) { claimants_.push_back(id); }
  bool RemoveClaimant(TaskId id) { return std::erase(claimants_, id) > 0; }

  // Pods with a deletion time; may include pods that are gone, and duplicates.
  std::vector<TaskId>& deleting() { return deleting_; }

 private:
  void Link(TaskId id, NodeId node);
  void Unlink(TaskId id);

  Journal& journal_;
  std::vector<Task> tasks_;
  boost::unordered_flat_map<NameId, TaskId> ids_;
  std::vector<TaskId> free_;
  std::vector<TaskId> first_on_;  // By node.
  std::vector<OtherPlace> places_;
  std::vector<TaskId> claimants_;
  std::vector<TaskId> deleting_;
};

}  // namespace coppice::engine
