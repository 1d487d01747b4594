#include "engine/devices/device_selectors.h"

#include <type_traits>
#include <utility>

namespace coppice::engine {
namespace {

cel::Value ToCel(const DeviceAttribute& attribute) {
  return std::visit(
      [](const auto& value) -> cel::Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, DeviceVersion>) {
          const auto version = cel::Semver::Parse(value.text);
          if (!version) return cel::Value(value.text);
          return cel::Value(*version);
        } else {
          return cel::Value(value);
        }
      },
      attribute);
}

std::string Qualified(const std::string& driver, const std::string& name) {
  return name.find('/') == std::string::npos ? driver + "/" + name : name;
}

cel::Value ToCel(const ResourceSliceSpec& slice, const DeviceSpec& spec) {
  cel::Device device;
  device.driver = slice.driver;
  for (const auto& [name, attribute] : spec.attributes) {
    device.attributes.emplace(Qualified(slice.driver, name), ToCel(attribute));
  }
  for (const auto& [name, quantity] : spec.capacity) {
    device.capacity.emplace(Qualified(slice.driver, name), quantity);
  }
  return cel::DeviceValue(device);
}

}  // namespace

const cel::DeviceSelector* DeviceSelectors::Compiled(const std::string& expression) {
  auto [found, added] = compiled_.try_emplace(expression);
  if (added) {
    auto compiled = cel::DeviceSelector::Compile(expression);
    if (compiled) found->second = *std::move(compiled);
  }
  return found->second ? &*found->second : nullptr;
}

bool DeviceSelectors::Match(const ResourceSliceSpec& slice, const DeviceSpec& device,
                            const std::vector<std::string>& selectors) {
  if (selectors.empty()) return true;
  const cel::Value value = ToCel(slice, device);
  for (const auto& expression : selectors) {
    const cel::DeviceSelector* selector = Compiled(expression);
    if (!selector) return false;
    const auto matches = selector->Matches(value);
    // Otherwise it would be evaluated for every device in every cycle.
    if (matches.Is(base::ErrorCode::kTooManyRequests)) compiled_[expression].reset();
    if (!matches || !*matches) return false;
  }
  return true;
}

}  // namespace coppice::engine
