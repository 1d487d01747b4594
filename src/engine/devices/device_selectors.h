#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cel/device.h"
#include "engine/model/devices.h"

namespace coppice::engine {

// CEL selectors of device classes and requests, each compiled once.
class DeviceSelectors {
 public:
  // Whether the device matches all selectors. A selector that does not compile or fails matches
  // nothing. A selector that once exceeded its cost limit is not evaluated again.
  bool Match(const ResourceSliceSpec& slice, const DeviceSpec& device,
             const std::vector<std::string>& selectors);

 private:
  const cel::DeviceSelector* Compiled(const std::string& expression);

  std::map<std::string, std::optional<cel::DeviceSelector>> compiled_;
};

}  // namespace coppice::engine
