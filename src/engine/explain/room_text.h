#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/explain/room_search.h"
#include "engine/model/explanation.h"

namespace coppice::engine {

// Describes the result of a RoomSearch in words.
class RoomText {
 public:
  explicit RoomText(Trial& trial);

  // "3 pods ask for 8 GPUs each", for the resource that is short.
  std::string Wanted(int resource) const;
  // The nodes that some of the pods may use; all nodes if none is usable as it is.
  const std::vector<NodeId>& usable() const { return usable_; }
  // "8 of 16 GPUs are free" on those nodes; includes the most on one node if that matters.
  std::string Free(int resource, bool per_node) const;
  // For a pod that is larger than every node: what is too large, and how much the largest node has.
  std::optional<std::string> TooLarge() const;
  // "; default/a holds 8 GPUs on node-0": which jobs hold the capacity.
  std::string Holders(const RoomSearch::Answer& answer) const;
  // "; pod/a is stuck there": pods that should have left these nodes by now.
  std::string Stuck(const std::vector<NodeId>& nodes) const;
  // The answer as changes: free what others hold, add the rest.
  std::vector<Explanation::Change> Changes(const RoomSearch& room,
                                           const RoomSearch::Answer& answer) const;
  // If an evictable job holds what is missing but is protected for a while: wait until it no longer
  // is.
  std::optional<Explanation::Change> Wait(const RoomSearch::Answer& answer) const;
  // For a single pod that requests a fraction of a GPU: the smallest fraction that must be free.
  std::optional<Explanation::Change> PartOfGpu(const RoomSearch::Answer& answer) const;
  // The resource that the answer is about; without an answer, the scarcest requested one.
  int Scarce(const std::optional<RoomSearch::Answer>& answer) const;

 private:
  std::optional<std::string> TooLargeForGpus(const GpuRequest& gpu) const;
  std::string Largest(int resource, int64_t most) const;
  // Stuck pods on the node to delete by force, up to the missing amount, which is reduced
  // accordingly.
  std::optional<Explanation::Change> ForceDelete(Missing& missing) const;
  std::vector<JobId> JobsOn(const RoomSearch::Answer& answer) const;
  std::string NodeName(NodeId node) const {
    return std::string(cluster_.Text(cluster_.nodes()[node].name));
  }

  Trial& trial_;
  const Cluster& cluster_;
  std::vector<NodeId> usable_;
};

}  // namespace coppice::engine
