#pragma once

#include "api/view/resource.h"
#include "engine/model/devices.h"
#include "json/value.h"

// resource.k8s.io objects of v1, v1beta2 and v1beta1 in the engine's form.
namespace coppice::services::scheduler {

engine::DeviceClassSpec ReadDeviceClass(const json::Value& device_class);
engine::ResourceSliceSpec ReadResourceSlice(const json::Value& slice);
engine::ResourceClaimSpec ReadResourceClaim(const json::Value& claim);

engine::ClaimAllocation ReadAllocation(view::resource::AllocationResult allocation);
json::Value WriteAllocation(const engine::ClaimAllocation& allocation);

}  // namespace coppice::services::scheduler
