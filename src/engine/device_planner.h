#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/device_selectors.h"
#include "engine/session.h"

namespace coppice::engine {

// The dynamicresources plugin: which devices a pod's claims would get on a node (spec 5.14).
// Keeps its own view of claims for the cycle.
class DevicePlanner {
 public:
  explicit DevicePlanner(Session& session);

  // Why the pod's claims cannot be served anywhere.
  std::optional<std::string> Prepare(TaskId task) const;
  // Why they cannot be served on the node.
  std::optional<std::string> Check(TaskId task, NodeId node) const;

  void OnAllocate(TaskId task, NodeId node);
  void OnDeallocate(TaskId task, NodeId node);
  void Describe(TaskId task, BindDecision& decision) const;

 private:
  struct Device {
    const ResourceSliceSpec* slice;
    const DeviceSpec* spec;
  };
  std::vector<Device> DevicesOn(NodeId node) const;
  bool InUse(const Device& device) const;
  bool Selected(const Device& device, const DeviceRequestSpec& request) const;
  std::optional<std::vector<std::pair<int32_t, ClaimAllocation>>> Solve(TaskId task,
                                                                        NodeId node) const;
  bool Assign(const std::vector<Device>& devices, const ResourceClaimSpec& claim, size_t request,
              int64_t taken, size_t from, std::vector<char>& used,
              std::vector<AllocatedDevice>& results, std::vector<size_t>& picked,
              int64_t& steps) const;
  bool ConstraintsHold(const std::vector<Device>& devices, const ResourceClaimSpec& claim,
                       const std::vector<AllocatedDevice>& results,
                       const std::vector<size_t>& picked) const;
  std::string QueueOf(TaskId task) const;

  Session& session_;
  Cluster& cluster_;
  mutable DeviceSelectors selectors_;  // A cache.
};

}  // namespace coppice::engine
