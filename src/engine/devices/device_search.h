#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/devices/device_selectors.h"
#include "engine/state/device_state.h"

namespace coppice::engine {

struct Device {
  const ResourceSliceSpec* slice;
  const DeviceSpec* spec;
};

// Finds devices for claims together, among those that a node can use: depth first over claims,
// requests and devices, in order, and not for ever.
class DeviceSearch {
 public:
  // `used`: by device, whether somebody has it. All but the devices must outlive the search.
  DeviceSearch(const DeviceState& state, DeviceSelectors& selectors, std::vector<Device> devices,
               std::vector<char> used);

  struct Found {
    std::vector<AllocatedDevice> devices;
    bool on_node = false;  // Some of them are of one node alone.
  };
  // What each of the claims gets; nullopt where not all can be served.
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
  std::vector<size_t> begins_;  // Where the results of each claim begin, as far as they are served.
  std::vector<AllocatedDevice> results_;
  std::vector<size_t> picked_;  // The devices behind the results.
};

}  // namespace coppice::engine
