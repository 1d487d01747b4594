#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/explain/explain.h"
#include "engine/explain/room_search.h"

namespace coppice::engine {

// What a search for room found, in words.
class RoomText {
 public:
  explicit RoomText(Trial& trial);

  // "3 pods ask for 8 GPUs each": of the resource that is short.
  std::string Wanted(int resource) const;
  // The nodes that some of the pods may use; all where none may be used as it is.
  const std::vector<NodeId>& usable() const { return usable_; }
  // "8 of 16 GPUs are free", of those nodes; with the most on one node where that matters.
  std::string Free(int resource, bool per_node) const;
  // Of a pod that is larger than every node: what, and how much the largest has.
  std::optional<std::string> TooLarge() const;
  // "; default/a holds 8 GPUs on node-0": who is in the way.
  std::string Holders(const RoomSearch::Answer& answer) const;
  // "; pod/a is stuck there": pods that should have left these nodes by now.
  std::string Stuck(const std::vector<NodeId>& nodes) const;
  // The changes that the answer comes to: what others hold is to be freed, the rest added.
  std::vector<Explanation::Change> Changes(const RoomSearch& room,
                                           const RoomSearch::Answer& answer) const;
  // Where a job that could be evicted holds what is missing and is safe from that for a while: to
  // wait until it no longer is.
  std::optional<Explanation::Change> Wait(const RoomSearch::Answer& answer) const;
  // A pod that wants a part of a GPU, and is the only one: the least part that must be free.
  std::optional<Explanation::Change> PartOfGpu(const RoomSearch::Answer& answer) const;
  // The resource whose lack the answer is about; without any, the scarcest that is asked for.
  int Scarce(const std::optional<RoomSearch::Answer>& answer) const;

 private:
  std::optional<std::string> TooLargeForGpus(const GpuRequest& gpu) const;
  std::string Largest(int resource, int64_t most) const;
  // Pods that do not leave the node, up to as much as is missing, which is reduced by it.
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
