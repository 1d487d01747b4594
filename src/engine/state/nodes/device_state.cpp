#include "engine/state/nodes/device_state.h"

namespace coppice::engine {

void DeviceState::PutClass(const DeviceClassSpec& spec) {
  classes_[spec.name] = spec;
  changed_ = true;
}

void DeviceState::RemoveClass(std::string_view name) {
  classes_.erase(std::string(name));
  changed_ = true;
}

void DeviceState::PutSlice(const ResourceSliceSpec& spec) {
  slices_[spec.name] = spec;
  changed_ = true;
}

void DeviceState::RemoveSlice(std::string_view name) {
  slices_.erase(std::string(name));
  changed_ = true;
}

void DeviceState::PutClaim(const ResourceClaimSpec& spec) {
  auto [found, added] = claim_ids_.try_emplace({spec.namespace_name, spec.name},
                                               static_cast<int32_t>(claims_.size()));
  if (added) claims_.emplace_back();
  claims_[found->second] = {spec, true, spec.allocation, {}};
  changed_ = true;
}

void DeviceState::RemoveClaim(std::string_view namespace_name, std::string_view name) {
  const int32_t id = Find(namespace_name, name);
  if (id == kNone) return;
  claims_[id].exists = false;
  changed_ = true;
}

int32_t DeviceState::Find(std::string_view namespace_name, std::string_view name) const {
  const auto found = claim_ids_.find({std::string(namespace_name), std::string(name)});
  return found == claim_ids_.end() || !claims_[found->second].exists ? kNone : found->second;
}

void DeviceState::ResolveServed(const ResourceIndex& resources) {
  served_.assign(resources.size(), false);
  for (const auto& [name, device_class] : classes_) {
    for (const std::string& resource :
         {device_class.extended_resource_name, "deviceclass.resource.kubernetes.io/" + name}) {
      for (int i = kPods + 1; i < resources.size(); ++i) {
        if (!resource.empty() && resources.Name(i) == resource) served_[i] = true;
      }
    }
  }
}

}  // namespace coppice::engine
