#pragma once

#include "engine/model/input.h"
#include "json/value.h"

// From the JSON of cases, which is Kubernetes' own where they meet, to the engine's input.

namespace coppice::vectors {

engine::Labels ReadLabels(const json::Value& value);
engine::ResourceList ReadResources(const json::Value& value);
engine::Affinity ReadAffinity(const json::Value& value);
engine::NodeSelector ReadNodeSelector(const json::Value& value);
engine::TaskStatus ReadStatus(const json::Value& value);
engine::NumaTopology ReadNuma(const json::Value& value);
std::vector<engine::NumaPlacement> ReadNumaPlacement(const std::string& annotation);
engine::DeviceClassSpec ReadDeviceClass(const json::Value& object);
engine::ResourceSliceSpec ReadResourceSlice(const json::Value& object);
engine::ResourceClaimSpec ReadResourceClaim(const json::Value& object);
engine::ClaimAllocation ReadAllocation(const json::Value& value);

}  // namespace coppice::vectors
