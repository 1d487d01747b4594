#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/placement/allocator.h"

namespace coppice::engine {

// More of a resource on a node.
struct Missing {
  NodeId node = kNone;
  int64_t units = 0;  // Of UnitOf the resource.
  int resource = kGpu;
};
// A GPU, a millicore, a MiB, one of anything else.
int64_t UnitOf(int resource);

// Tries what would become of a waiting gang if something were different: with more on nodes, or
// without some rules. Its pods are those that must start together next; once the minimum runs, all
// that wait. Works on a statement of its own and leaves the session as it was.
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
  // The gang has its minimum, and what waits comes on top of it.
  bool surplus() const { return surplus_; }

  // Whether all of the pods find a place once that is added. Errors go to `errors` where given.
  bool Runs(const std::vector<Missing>& added = {}, JobErrors* errors = nullptr);
  // Whether at least the next step finds a place: of a gang that has its minimum, one pod of it.
  bool StepRuns();
  // Where each of them goes then; nothing when they do not.
  std::vector<std::pair<TaskId, NodeId>> PlacesFor(const std::vector<Missing>& added);
  // The nodes on which they wait for pods that are being stopped; none if they can start at once.
  std::vector<NodeId> WaitsOn();
  // Pods that should be gone by now: their node is down, or a finalizer keeps them.
  std::vector<TaskId> StuckOn(NodeId node) const;
  std::vector<Missing> HeldByStuck() const;
  // From now on; what is tried in between sees it.
  void Add(const std::vector<Missing>& missing);
  // Everything that runs, but for the gang's own pods.
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
