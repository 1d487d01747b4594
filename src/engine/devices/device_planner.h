#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/devices/device_search.h"
#include "engine/devices/extended_claim.h"
#include "engine/framework/framework.h"
#include "engine/framework/session.h"

namespace coppice::engine {

// The dynamicresources plugin: which devices a pod's claims would get on a node
// (docs/behaviour/engine.md S-93). Keeps its own view of claims for the cycle.
class DevicePlanner {
 public:
  static constexpr std::string_view kName = "dynamicresources";
  static constexpr Points kPoints = Point::kFilter | Point::kReserve | Point::kExplain;
  static constexpr bool kTimed = true;
  static bool On(const Session& session);

  explicit DevicePlanner(Session& session);

  // Whether the pod needs devices: by its claims, or by resources that device classes serve.
  bool Concerns(TaskId task) const;
  // Why the pod's claims cannot be served anywhere.
  std::optional<std::string> PreFilter(TaskId task) const;
  bool Filter(TaskId task, NodeId node, std::vector<std::string>* why) const;
  // Claims and device classes that do not exist.
  void Missing(TaskId task, std::vector<Explanation::Change>& changes) const;

  void OnAllocate(TaskId task, NodeId node);
  void OnDeallocate(TaskId task, NodeId node);
  void Describe(TaskId task, BindExtras& extras) const;
  // The cycle is over and has not placed the task: what was planned for it, or for others in its
  // place, is forgotten, and it holds what it held before.
  void Restore(TaskId task);

 private:
  // Why the pod's claims cannot be served on the node.
  std::optional<std::string> Check(TaskId task, NodeId node) const;
  void MissingClasses(const ClaimState& claim, std::vector<Explanation::Change>& changes) const;
  std::vector<Device> DevicesOn(NodeId node) const;
  bool InUse(const Device& device) const;
  // The claim for extended resources of a pod that has a place. One that is left of a bind which
  // was given up is not the pod's: the next bind brings its own. Null when there is none.
  ClaimState* OwnExtendedClaim(TaskId task);
  struct Solution {
    std::vector<std::pair<int32_t, ClaimAllocation>> claims;
    std::optional<ClaimAllocation> extended;  // Where the pod needs a claim of that kind.
  };
  std::optional<Solution> Solve(TaskId task, NodeId node) const;
  ExtendedClaim ExtendedClaimOn(TaskId task, NodeId node) const;
  std::optional<std::vector<ClaimAllocation>> Serve(
      NodeId node, std::span<const ResourceClaimSpec* const> claims) const;
  // Whether the pod asks for extended resources that device classes serve.
  bool MayNeedExtended(TaskId task) const;
  std::string QueueOf(TaskId task) const;

  Session& session_;
  Cluster& cluster_;
  mutable DeviceSelectors selectors_;  // A cache.
  std::map<std::string, std::string> classes_by_resource_;
  // Claims that exist for extended resources, by the uid of their pod.
  std::map<std::string, int32_t> extended_claims_;
  // What tasks had when the cycle began: a victim that stays after all has it still.
  struct Held {
    NodeId node;
    ClaimAllocation devices;
  };
  std::map<TaskId, Held> held_;
  // Tasks that hold, or have held in this cycle, devices of such a claim.
  std::vector<TaskId> extended_tasks_;
};

}  // namespace coppice::engine
