#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// Capacity for volumes that CSI drivers have not provisioned yet (docs/behaviour/engine.md S-26),
// for clusters whose scheduler tracks it: each node has at most one capacity per storage class, and
// several nodes may share one. Always computed from the current pods, so that trials and rollbacks
// are accounted for.
class StorageCapacity {
 public:
  // Not a configurable plugin: --schedule-csi-storage enables it.
  static constexpr std::string_view kName = "csi-storage";
  static constexpr Points kPoints = Point::kFilter;
  static constexpr bool kTimed = false;
  static bool On(const Session& session) { return session.config.schedule_csi_storage; }

  explicit StorageCapacity(const Session& session);

  // Whether the volumes that the task still needs fit what is free, or what will be free once
  // terminating pods have taken their volumes with them. A claim that goes away with another pod
  // cannot be used now; once it is gone, another of that name may appear.
  bool FitsIdle(TaskId task, NodeId node) const;
  bool FitsIdleOrReleasing(TaskId task, NodeId node) const { return Fits(task, node, true); }
  bool Filter(TaskId task, NodeId node, std::vector<std::string>* why) const {
    const bool fits = FitsIdleOrReleasing(task, node);
    if (!fits && why) why->push_back(Shortage(task, node));
    return fits;
  }
  // Why it does not fit what is free; empty if it does.
  std::string Shortage(TaskId task, NodeId node) const;

 private:
  using Claims = std::vector<const PersistentVolumeClaimSpec*>;
  // What must be provisioned for a task.
  struct Needs {
    std::map<std::string, int64_t> bytes;  // By class.
    std::set<const PersistentVolumeClaimSpec*> claims;
  };

  bool Managed(const PersistentVolumeClaimSpec& claim) const;
  Claims ClaimsOf(TaskId task) const;
  bool OwnerLeaves(const PersistentVolumeClaimSpec& claim) const;
  Needs NeedsOf(TaskId task) const;
  bool Room(const Needs& needs, const std::string& cls, NodeId node, bool releasing) const;
  bool Fits(TaskId task, NodeId node, bool releasing) const;
  int64_t Taken(NodeId node, const std::string& cls, bool releasing,
                std::set<const PersistentVolumeClaimSpec*> counted) const;

  const Cluster& cluster_;
  // Classes whose volumes are provisioned on first use, by a known driver.
  std::set<std::string> classes_;
  std::vector<int64_t> bytes_;                           // By capacity.
  std::vector<std::map<std::string, int32_t>> of_node_;  // Capacity by class.
  std::vector<TaskId> consumers_;                        // Tasks with claims of these classes.
};

// The name of the claim that a pod's volume refers to.
std::string ClaimNameOf(const VolumeClaimRef& ref, std::string_view pod);

// Whether the task fits what is free on the node now, including volumes.
inline bool FitsIdle(const Session& session, TaskId task, NodeId node) {
  return session.cluster.FitsIdle(task, node) &&
         (!session.storage || session.storage->FitsIdle(task, node));
}

}  // namespace coppice::engine
