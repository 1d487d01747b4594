#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/state/cluster.h"

namespace coppice::engine {

// Room for volumes that CSI drivers are yet to make (spec 2.8), for clusters whose scheduler looks
// after it: each node has at most one capacity per storage class, several nodes may share one.
// Pods are looked at as they are now, so that whatever is tried or taken back is accounted for.
class StorageCapacity {
 public:
  explicit StorageCapacity(const Cluster& cluster);

  // Whether the volumes that the task still needs fit what is free, or what will be free once pods
  // that leave have taken their volumes with them.
  bool FitsIdle(TaskId task, NodeId node) const { return Fits(task, node, false); }
  bool FitsIdleOrReleasing(TaskId task, NodeId node) const { return Fits(task, node, true); }

 private:
  using Claims = std::vector<const PersistentVolumeClaimSpec*>;

  bool Managed(const PersistentVolumeClaimSpec& claim) const;
  Claims ClaimsOf(TaskId task) const;
  bool Fits(TaskId task, NodeId node, bool releasing) const;
  int64_t Taken(int32_t capacity, const std::string& cls, bool releasing,
                std::set<const PersistentVolumeClaimSpec*> counted) const;

  const Cluster& cluster_;
  std::set<std::string> classes_;  // Those whose volumes are made on first use, by a known driver.
  std::vector<int64_t> bytes_;     // By capacity.
  std::vector<std::map<std::string, int32_t>> of_node_;  // Capacity by class.
  std::vector<TaskId> consumers_;                        // Tasks with claims of these classes.
};

// The name of the claim that a pod's volume refers to.
std::string ClaimNameOf(const VolumeClaimRef& ref, std::string_view pod);

}  // namespace coppice::engine
