#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/framework/session.h"

namespace coppice::engine {

// A try: evictions and placements that change the session at once, and that can be taken back in
// part or whole, or committed (docs/behaviour/engine.md S-38). What it changes is noted in the
// cluster's journal; only one statement may be open at a time.
class Statement {
 public:
  explicit Statement(Session& session);
  ~Statement();
  Statement(const Statement&) = delete;

  void Evict(TaskId task);
  // Places the task on capacity that is being released. A task that comes back to the node and
  // GPUs it was evicted from is simply not evicted any more, unless `update`.
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
  // Takes back what queues were given too much for tasks that were named twice.
  void CountVictimsOnce();

  // Tasks that it evicts and that have no other place, job by job.
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
    std::vector<ZoneAmount> zones;  // That an evicted task had.
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
  // Where a task's first eviction that still holds is likely to be.
  boost::unordered_flat_map<TaskId, size_t> evictions_;
};

}  // namespace coppice::engine
