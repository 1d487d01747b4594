#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/session.h"

namespace coppice::engine {

// A trial: evictions and placements that change the session immediately and can be rolled back
// partly or entirely, or committed (docs/behaviour/engine.md S-38). Its changes are recorded in the
// cluster's journal; only one statement may be open at a time.
class Statement {
 public:
  explicit Statement(Session& session);
  ~Statement();
  Statement(const Statement&) = delete;

  void Evict(TaskId task);
  // Places the task on capacity that is being released. A task that returns to the node and GPUs it
  // was evicted from is simply not evicted any more, unless `update`.
  void Pipeline(TaskId task, NodeId node, int32_t groups, std::vector<ZoneAmount> zones,
                bool update);
  void Allocate(TaskId task, NodeId node, int32_t groups, std::vector<ZoneAmount> zones);

  struct Checkpoint {
    size_t operations;
    size_t journal;
  };
  Checkpoint Mark() const { return {operations_.size(), session_.cluster.journal().Mark()}; }
  void Rollback(Checkpoint mark);
  void Discard() { Rollback({0, start_}); }
  void ConvertAllocatedToPipelined(JobId job);
  // Reverts the excess that queues were credited for tasks that were evicted twice.
  void CountVictimsOnce();

  // Evicted tasks that have no other place, by job.
  std::map<JobId, std::vector<TaskId>> Victims() const;

  using EvictionText = std::function<std::string(TaskId)>;
  void Commit(const EvictionText& text = {}, std::optional<JobId> preemptor = std::nullopt);

 private:
  enum class Kind { kEvict, kEvictAgain, kPipeline, kAllocate };
  struct Operation {
    Kind kind;
    TaskId task;
    NodeId node;
    TaskStatus previous;
    bool previous_virtual;
    bool valid;
    std::vector<ZoneAmount> zones;  // Of an evicted task.
  };

  bool Holds(const Task& task, NodeId node) const;
  bool Evicts(size_t at, TaskId task) const;
  Operation* EvictionOf(TaskId task);
  bool Unevict(TaskId task);
  void Place(TaskId task, NodeId node, int32_t groups, std::vector<ZoneAmount> zones,
             TaskStatus status);
  void LeavePlace(TaskId task, bool keep);
  void OnAllocate(TaskId task, NodeId node);
  void OnDeallocate(TaskId task, NodeId node);
  void CommitAllocate(const Operation& operation);
  void CommitPipeline(const Operation& operation);

  Session& session_;
  Cluster& cluster_;
  size_t start_;
  std::deque<Operation> operations_;  // A deque: the journal holds addresses of its elements.
  // The likely index of a task's first eviction that is still valid.
  boost::unordered_flat_map<TaskId, size_t> evictions_;
};

}  // namespace coppice::engine
