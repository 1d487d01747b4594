#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "engine/state/task.h"
#include "engine/state/values/journal.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// The pods by dense numbers, which are used again after a pod is gone.
//
// Invariants: every task that exists is found by its uid, and every number that is not in use waits
// to be drawn. The list of a node has exactly the tasks whose `home` it is. The places where a task
// is charged besides its own hang together from `other_places` on, and are forgotten at the end of
// the cycle. claimants() has the tasks with resource claims. What the rest of a task says agrees
// with nodes, jobs and queues by Cluster's doing.
class TaskTable {
 public:
  explicit TaskTable(Journal& journal) : journal_(journal) {}

  TaskId Find(NameId uid) const {
    const auto found = ids_.find(uid);
    return found == ids_.end() ? kNone : found->second;
  }
  size_t size() const { return tasks_.size(); }  // Of the numbers ever drawn.
  const Task& operator[](TaskId id) const { return tasks_[id]; }
  Task& operator[](TaskId id) { return tasks_[id]; }
  auto begin() const { return tasks_.begin(); }
  auto end() const { return tasks_.end(); }

  TaskId New(NameId uid);
  // It must be in no node's list.
  void Drop(TaskId id);

  // The first pod that the API says is on the node; Task::next_on_node has the next.
  TaskId FirstOn(NodeId node) const {
    return node < static_cast<NodeId>(first_on_.size()) ? first_on_[node] : kNone;
  }
  // Puts it into the list of a node instead of that where it is; kNone: of none.
  void SetHome(TaskId id, NodeId node);

  const std::vector<OtherPlace>& places() const { return places_; }
  // The charge where the task is now stays behind while it moves on. Noted in the journal.
  void LeaveBehind(TaskId id);
  void TakeBackPlace() { places_.pop_back(); }
  void ForgetPlaces() { places_.clear(); }

  const std::vector<TaskId>& claimants() const { return claimants_; }
  void AddClaimant(TaskId id) { claimants_.push_back(id); }
  bool RemoveClaimant(TaskId id) { return std::erase(claimants_, id) > 0; }

  // Pods with a deletion time; some may have left, or be named twice.
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
