#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/devices/device_selectors.h"
#include "engine/state/nodes/device_state.h"

namespace coppice::engine {

struct Device {
  const ResourceSliceSpec* slice;
  const DeviceSpec* spec;
};

// Finds devices for several claims together among the devices that a node can use: depth-first over
// claims, requests and devices, in order, with a limit on the number of steps.
class DeviceSearch {
 public:
  // `used`: by device, whether it is taken. Everything but the devices must outlive the search.
  DeviceSearch(const DeviceState& state, DeviceSelectors& selectors, std::vector<Device> devices,
               std::vector<char> used);

  struct Found {
    std::vector<AllocatedDevice> devices;
    bool on_node = false;  // Some of them belong to a single node.
  };
  // The devices of each claim; nullopt if not all claims can be satisfied.
  std::optional<std::vector<Found>> Take(std::span<const ResourceClaimSpec* const> claims);

 private:
  const ResourceClaimSpec& claim() const { return *claims_[begins_.size() - 1]; }
  bool AssignNextClaim();
  bool Assign(size_t request, int64_t taken, size_t from);
  bool AssignAll(size_t request);
  bool AssignOneMore(size_t request, int64_t taken, size_t from);
  void Pick(const DeviceRequestSpec& request, size_t device);
  void DropDownTo(size_t count);
  bool Selected(const Device& device, const DeviceRequestSpec& request) const;
  bool ConstraintsHold() const;
  bool AllPoolsComplete() const;

  const DeviceState& state_;
  DeviceSelectors& selectors_;
  const std::vector<Device> devices_;
  std::vector<char> used_;
  int64_t steps_ = 0;
  std::span<const ResourceClaimSpec* const> claims_;
  std::vector<size_t> begins_;  // Where the results of each claim begin, for claims served so far.
  std::vector<AllocatedDevice> results_;
  std::vector<size_t> picked_;  // Indices of the devices in `results_`.
};

}  // namespace coppice::engine
