#include "engine/devices/device_search.h"

#include <algorithm>

namespace coppice::engine {
namespace {

constexpr int64_t kMaxSteps = 100'000;

const DeviceAttribute* Attribute(const ResourceSliceSpec& slice, const DeviceSpec& device,
                                 const std::string& name) {
  if (auto found = device.attributes.find(name); found != device.attributes.end()) {
    return &found->second;
  }
  // Attribute names in the driver's own domain may omit it.
  const std::string prefix = slice.driver + "/";
  if (!name.starts_with(prefix)) return nullptr;
  auto found = device.attributes.find(name.substr(prefix.size()));
  return found == device.attributes.end() ? nullptr : &found->second;
}

// Whether all slices of the pool's newest generation are present.
bool Complete(const DeviceState& devices, const ResourceSliceSpec& of) {
  int64_t slices = 0;
  for (const auto& [name, slice] : devices.slices()) {
    slices += slice.driver == of.driver && slice.pool == of.pool &&
              slice.pool_generation == of.pool_generation;
  }
  return slices == of.pool_slice_count;
}

}  // namespace

DeviceSearch::DeviceSearch(const DeviceState& state, DeviceSelectors& selectors,
                           std::vector<Device> devices, std::vector<char> used)
    : state_(state), selectors_(selectors), devices_(std::move(devices)), used_(std::move(used)) {}

std::optional<std::vector<DeviceSearch::Found>> DeviceSearch::Take(
    std::span<const ResourceClaimSpec* const> claims) {
  for (const auto* claim : claims) {
    for (const auto& request : claim->requests) {
      if (request.count > static_cast<int64_t>(devices_.size()) || request.admin_access) {
        return std::nullopt;
      }
    }
  }
  claims_ = claims;
  if (!AssignNextClaim()) return std::nullopt;
  std::vector<Found> found(claims.size());
  for (size_t i = 0; i < claims.size(); ++i) {
    const size_t end = i + 1 < claims.size() ? begins_[i + 1] : results_.size();
    for (size_t at = begins_[i]; at < end; ++at) {
      found[i].devices.push_back(results_[at]);
      found[i].on_node |= !devices_[picked_[at]].slice->node_name.empty();
    }
  }
  return found;
}

bool DeviceSearch::AssignNextClaim() {
  if (begins_.size() == claims_.size()) return true;
  begins_.push_back(results_.size());
  if (Assign(0, 0, 0)) return true;
  begins_.pop_back();
  return false;
}

bool DeviceSearch::Assign(size_t request, int64_t taken, size_t from) {
  if (++steps_ > kMaxSteps) return false;
  if (request == claim().requests.size()) return AssignNextClaim();
  switch (claim().requests[request].mode) {
    case DeviceAllocationMode::kAll:
      return AssignAll(request);
    case DeviceAllocationMode::kExactCount:
      return AssignOneMore(request, taken, from);
    case DeviceAllocationMode::kUnknown:
      return false;
  }
  return false;
}

bool DeviceSearch::AssignAll(size_t at) {
  const DeviceRequestSpec& request = claim().requests[at];
  const size_t before = results_.size();
  if (!AllPoolsComplete()) return false;
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (used_[i] && Selected(devices_[i], request)) return false;
  }
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (Selected(devices_[i], request)) Pick(request, i);
  }
  if (results_.size() > before && ConstraintsHold() && Assign(at + 1, 0, 0)) return true;
  DropDownTo(before);
  return false;
}

bool DeviceSearch::AssignOneMore(size_t at, int64_t taken, size_t from) {
  const DeviceRequestSpec& request = claim().requests[at];
  if (taken == std::max<int64_t>(request.count, 1)) return Assign(at + 1, 0, 0);
  const size_t before = results_.size();
  for (size_t i = from; i < devices_.size(); ++i) {
    if (used_[i] || !Selected(devices_[i], request)) continue;
    Pick(request, i);
    if (ConstraintsHold() && Assign(at, taken + 1, i + 1)) return true;
    DropDownTo(before);
  }
  return false;
}

void DeviceSearch::Pick(const DeviceRequestSpec& request, size_t i) {
  const Device& device = devices_[i];
  results_.push_back({request.name, device.slice->driver, device.slice->pool, device.spec->name});
  picked_.push_back(i);
  used_[i] = 1;
}

void DeviceSearch::DropDownTo(size_t count) {
  while (results_.size() > count) {
    used_[picked_.back()] = 0;
    picked_.pop_back();
    results_.pop_back();
  }
}

bool DeviceSearch::Selected(const Device& device, const DeviceRequestSpec& request) const {
  for (const auto& taint : device.spec->taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    const bool tolerated =
        std::any_of(request.tolerations.begin(), request.tolerations.end(),
                    [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
    if (!tolerated) return false;
  }
  auto device_class = state_.classes().find(request.device_class);
  if (device_class == state_.classes().end()) return false;
  return selectors_.Match(*device.slice, *device.spec, device_class->second.cel_selectors) &&
         selectors_.Match(*device.slice, *device.spec, request.cel_selectors);
}

bool DeviceSearch::ConstraintsHold() const {
  for (const auto& constraint : claim().constraints) {
    if (constraint.match_attribute.empty()) return false;
    const DeviceAttribute* common = nullptr;
    for (size_t i = begins_.back(); i < results_.size(); ++i) {
      const auto& names = constraint.requests;
      if (!names.empty() &&
          std::find(names.begin(), names.end(), results_[i].request) == names.end()) {
        continue;
      }
      const Device& device = devices_[picked_[i]];
      const auto* value = Attribute(*device.slice, *device.spec, constraint.match_attribute);
      if (!value || (common && !(*common == *value))) return false;
      common = value;
    }
  }
  return true;
}

// "All" devices are known only if every slice of every pool is present.
bool DeviceSearch::AllPoolsComplete() const {
  return std::all_of(devices_.begin(), devices_.end(),
                     [&](const Device& device) { return Complete(state_, *device.slice); });
}

}  // namespace coppice::engine
