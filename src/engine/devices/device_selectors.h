#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cel/device.h"
#include "engine/devices.h"

namespace coppice::engine {

// CEL selectors of device classes and requests, compiled once each.
class DeviceSelectors {
 public:
  // Whether the device meets all selectors; one that does not compile or fails selects nothing. One
  // that has cost too much once is not tried again.
  bool Match(const ResourceSliceSpec& slice, const DeviceSpec& device,
             const std::vector<std::string>& selectors);

 private:
  const cel::DeviceSelector* Compiled(const std::string& expression);

  std::map<std::string, std::optional<cel::DeviceSelector>> compiled_;
};

}  // namespace coppice::engine
