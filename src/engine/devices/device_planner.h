#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/devices/device_search.h"
#include "engine/framework/framework.h"
#include "engine/model/extended_claim.h"
#include "engine/session/session.h"

namespace coppice::engine {

// The dynamicresources plugin: which devices a pod's claims would get on a node
// (docs/behaviour/engine.md S-93). Keeps its own view of claims during the cycle.
class DevicePlanner {
 public:
  static constexpr std::string_view kName = "dynamicresources";
  static constexpr Points kPoints = Point::kFilter | Point::kReserve | Point::kExplain;
  static constexpr bool kTimed = true;
  static bool On(const Session& session);

  explicit DevicePlanner(Session& session);

  // Whether the pod needs devices: through its claims, or through resources that device classes
  // serve.
  bool Concerns(TaskId task) const;
  // Why the pod's claims cannot be satisfied on any node.
  std::optional<std::string> PreFilter(TaskId task) const;
  bool Filter(TaskId task, NodeId node, std::vector<std::string>* why) const;
  // Claims and device classes that do not exist.
  void Missing(TaskId task, std::vector<Explanation::Change>& changes) const;

  void OnAllocate(TaskId task, NodeId node);
  void OnDeallocate(TaskId task, NodeId node);
  void Describe(TaskId task, BindExtras& extras) const;
  // Call at the end of a cycle that did not place the task: drops what was planned for it or for
  // others in its place, and restores what it held before.
  void Restore(TaskId task);

 private:
  // Why the pod's claims cannot be satisfied on the node.
  std::optional<std::string> Check(TaskId task, NodeId node) const;
  void MissingClasses(const ClaimState& claim, std::vector<Explanation::Change>& changes) const;
  std::vector<Device> DevicesOn(NodeId node) const;
  bool InUse(const Device& device) const;
  // The extended resource claim of a placed pod; null if there is none. A claim left over from an
  // abandoned bind does not belong to the pod: the next bind creates its own.
  ClaimState* OwnExtendedClaim(TaskId task);
  struct Solution {
    std::vector<std::pair<int32_t, ClaimAllocation>> claims;
    std::optional<ClaimAllocation> extended;  // Set if the pod needs such a claim.
  };
  std::optional<Solution> Solve(TaskId task, NodeId node) const;
  ExtendedClaim ExtendedClaimOn(TaskId task, NodeId node) const;
  std::optional<std::vector<ClaimAllocation>> Serve(
      NodeId node, std::span<const ResourceClaimSpec* const> claims) const;
  // Whether the pod requests extended resources that device classes serve.
  bool MayNeedExtended(TaskId task) const;
  std::string QueueOf(TaskId task) const;

  Session& session_;
  Cluster& cluster_;
  mutable DeviceSelectors selectors_;  // A cache.
  std::map<std::string, std::string> classes_by_resource_;
  // Existing claims for extended resources, by the uid of their pod.
  std::map<std::string, int32_t> extended_claims_;
  // What tasks held when the cycle began. A victim that stays after all still holds it.
  struct Held {
    NodeId node;
    ClaimAllocation devices;
  };
  std::map<TaskId, Held> held_;
  // Tasks that hold, or held during this cycle, devices of such a claim.
  std::vector<TaskId> extended_tasks_;
};

}  // namespace coppice::engine
