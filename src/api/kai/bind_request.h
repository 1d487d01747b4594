#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "json/value.h"

namespace coppice::api::kai {

struct ReceivedGpu {
  json::Value count;  // view: int64 (an integer without a format)
  std::string portion;
};
BOOST_DESCRIBE_STRUCT(ReceivedGpu, (), (count, portion))

struct ClaimAllocation {
  std::string name;
  json::Value allocation;  // view: resource/v1.AllocationResult
};
BOOST_DESCRIBE_STRUCT(ClaimAllocation, (), (name, allocation))

struct ContainerMapping {
  std::string containerName;
  std::string resourceName;
  std::string requestName;
};
BOOST_DESCRIBE_STRUCT(ContainerMapping, (), (containerName, resourceName, requestName))

struct ExtendedClaimAllocation {
  json::Value allocation;  // view: resource/v1.AllocationResult
  std::vector<ContainerMapping> containerMappings;
  std::vector<json::Value> deviceRequests;  // view: []resource/v1.DeviceRequest
};
BOOST_DESCRIBE_STRUCT(ExtendedClaimAllocation, (), (allocation, containerMappings, deviceRequests))

struct NumaZone {
  std::string zone;
  std::map<std::string, base::Quantity> amount;
};
BOOST_DESCRIBE_STRUCT(NumaZone, (), (zone, amount))

struct BindRequestSpec {
  std::string podName;
  std::string selectedNode;
  std::string receivedResourceType;
  std::optional<ReceivedGpu> receivedGPU;
  std::vector<std::string> selectedGPUGroups;
  std::vector<ClaimAllocation> resourceClaimAllocations;
  std::optional<ExtendedClaimAllocation> extendedResourceClaimAllocation;
  std::vector<NumaZone> predictedNUMAZones;
  std::optional<int32_t> backoffLimit;
};
BOOST_DESCRIBE_STRUCT(BindRequestSpec, (),
                      (podName, selectedNode, receivedResourceType, receivedGPU, selectedGPUGroups,
                       resourceClaimAllocations, extendedResourceClaimAllocation,
                       predictedNUMAZones, backoffLimit))

struct BindRequestStatus {
  std::string phase;
  std::string reason;
  std::optional<int32_t> failedAttempts;
};
BOOST_DESCRIBE_STRUCT(BindRequestStatus, (), (phase, reason, failedAttempts))

}  // namespace coppice::api::kai
