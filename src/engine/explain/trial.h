#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/placement/allocator.h"

namespace coppice::engine {

// An additional amount of a resource on a node.
struct Missing {
  NodeId node = kNone;
  int64_t units = 0;  // In UnitOf(resource).
  int resource = kGpu;
};
// A GPU, a millicore, a MiB, one of anything else.
int64_t UnitOf(int resource);

// Tries what would happen to a waiting gang under different conditions: with more capacity on
// nodes, or without some rules. Its pods are those that must start together next; once the minimum
// runs, all that wait. Works on its own statement and leaves the session unchanged.
class Trial {
 public:
  Trial(Session& session, Allocator& allocator, const Gang& gang);
  ~Trial() { statement_.Discard(); }
  Trial(const Trial&) = delete;

  Session& session() { return session_; }
  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  const Gang& gang() const { return gang_; }
  const std::vector<TaskId>& tasks() const { return tasks_; }
  Allocator& allocator() { return allocator_; }
  Statement& statement() { return statement_; }
  // The gang has its minimum; the waiting pods are surplus.
  bool surplus() const { return surplus_; }

  // Whether all of the pods can be placed with `added`. Records errors in `errors` if given.
  bool Runs(const std::vector<Missing>& added = {}, JobErrors* errors = nullptr);
  // Whether at least the next step can be placed: for a gang that has its minimum, one pod.
  bool StepRuns();
  // Where each pod would go; empty if they cannot be placed.
  std::vector<std::pair<TaskId, NodeId>> PlacesFor(const std::vector<Missing>& added);
  // The nodes on which they wait for terminating pods; empty if they can start immediately.
  std::vector<NodeId> WaitsOn();
  // Pods that should be gone by now: their node is down, or a finalizer blocks their deletion.
  std::vector<TaskId> StuckOn(NodeId node) const;
  std::vector<Missing> HeldByStuck() const;
  // Adds capacity for all later trials.
  void Add(const std::vector<Missing>& missing);
  // Evicts everything that runs, except the gang's own pods.
  void EvictOthers();

 private:
  bool Place(JobErrors* errors);

  Session& session_;
  Cluster& cluster_;
  Allocator& allocator_;
  const Gang& gang_;
  Statement statement_;
  std::vector<TaskId> tasks_;
  bool surplus_ = false;
};

}  // namespace coppice::engine
