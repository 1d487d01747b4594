#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "base/result.h"
#include "cel/program.h"
#include "cel/values/value.h"

// Selectors of dynamic resource allocation.
namespace coppice::cel {

// A device as selectors see it. Names are qualified ("domain/name"); those without a domain belong
// to the driver's.
struct Device {
  std::string driver;
  // bool, int64_t, std::string or Semver.
  std::map<std::string, Value> attributes;
  std::map<std::string, base::Quantity> capacity;
  bool allow_multiple_allocations = false;
};

// A device in the form that expressions use; made once per device and used for many selectors:
// device.driver, device.attributes[domain].name, device.capacity[domain].name. A domain that the
// device does not have is an empty map.
Value DeviceValue(const Device& device);

// What a selector may cost per device. Users write selectors, and each is tried on every device of
// a cluster; one that compares attributes costs a few dozen.
inline constexpr size_t kSelectorBudget = 10'000;

// One compiled selector expression.
class DeviceSelector {
 public:
  static base::Result<DeviceSelector> Compile(std::string_view expression);

  // An error when the expression fails ("no such key: x") or is not a truth value; kTooManyRequests
  // when it costs more than kSelectorBudget.
  base::Result<bool> Matches(const Value& device) const;

 private:
  explicit DeviceSelector(Program program) : program_(std::move(program)) {}

  Program program_;
};

}  // namespace coppice::cel
