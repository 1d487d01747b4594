#pragma once

#include <optional>
#include <vector>

#include "engine/device_selectors.h"
#include "engine/device_state.h"

namespace coppice::engine {

struct Device {
  const ResourceSliceSpec* slice;
  const DeviceSpec* spec;
};

// Finds devices for claims, one claim after the other, among those that a node can use: depth first
// over requests and devices, in order, and not for ever.
class DeviceSearch {
 public:
  // `used`: by device, whether somebody has it. All but the devices must outlive the search.
  DeviceSearch(const DeviceState& state, DeviceSelectors& selectors, std::vector<Device> devices,
               std::vector<char> used);

  struct Found {
    std::vector<AllocatedDevice> devices;
    bool on_node = false;  // Some of them are of one node alone.
  };
  // What the claim gets, which others do not any more.
  std::optional<Found> Take(const ResourceClaimSpec& claim);

 private:
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
  // Of the claim that is being served.
  const ResourceClaimSpec* claim_ = nullptr;
  std::vector<AllocatedDevice> results_;
  std::vector<size_t> picked_;  // The devices behind the results.
};

}  // namespace coppice::engine
