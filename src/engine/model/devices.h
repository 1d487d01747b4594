#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "engine/model/selectors.h"

// Dynamic resource allocation (resource.k8s.io) as plain values.

namespace coppice::engine {

// A semantic version attribute, kept as text.
struct DeviceVersion {
  std::string text;
  friend bool operator==(const DeviceVersion&, const DeviceVersion&) = default;
};
using DeviceAttribute = std::variant<bool, int64_t, std::string, DeviceVersion>;

struct DeviceSpec {
  std::string name;
  // Keys as written in the slice: qualified ("domain/name") or not (the driver's domain).
  std::map<std::string, DeviceAttribute> attributes;
  std::map<std::string, base::Quantity> capacity;
  std::vector<Taint> taints;
};

// Driver configuration for the devices of the named requests (all if empty).
struct DeviceConfig {
  std::string source;  // "FromClass" or "FromClaim" once it belongs to an allocation.
  std::vector<std::string> requests;
  std::string configuration;  // As written.
};

struct DeviceClassSpec {
  std::string name;
  std::vector<std::string> cel_selectors;
  std::string extended_resource_name;  // Empty: only the implicit name.
  std::vector<DeviceConfig> config{};
};

struct ResourceSliceSpec {
  std::string name;
  std::string driver;
  std::string pool;
  int64_t pool_generation = 0;
  int64_t pool_slice_count = 1;
  // Exactly one of these three defines where the devices are.
  std::string node_name;
  bool all_nodes = false;
  std::optional<NodeSelector> node_selector;
  std::vector<DeviceSpec> devices;
};

enum class DeviceAllocationMode { kExactCount, kAll, kUnknown };

struct DeviceRequestSpec {
  std::string name;
  std::string device_class;
  DeviceAllocationMode mode = DeviceAllocationMode::kExactCount;
  int64_t count = 1;
  std::vector<std::string> cel_selectors;
  std::vector<Toleration> tolerations;
  bool admin_access = false;  // To devices that others use; never granted.
};

// Devices of the named requests (all if empty) must have the same value of this attribute. Without
// an attribute it is an unknown kind of constraint, which nothing satisfies.
struct DeviceConstraintSpec {
  std::vector<std::string> requests;
  std::string match_attribute;
};

struct AllocatedDevice {
  std::string request;
  std::string driver;
  std::string pool;
  std::string device;
  bool admin_access = false;  // Others may have it too.
  friend bool operator==(const AllocatedDevice&, const AllocatedDevice&) = default;
};

struct ClaimAllocation {
  std::vector<AllocatedDevice> devices;
  std::optional<NodeSelector> node_selector;
  std::vector<DeviceConfig> config{};
  friend bool operator==(const ClaimAllocation& a, const ClaimAllocation& b) {
    return a.devices == b.devices;
  }
};

struct ClaimConsumer {
  std::string name;
  std::string uid;
};

struct ResourceClaimSpec {
  std::string namespace_name;
  std::string name;
  std::string uid;
  Labels labels;
  // From an owner reference of kind Pod: the claim was created from a template for that pod.
  std::string owner_pod_uid;
  // The claim represents extended resources (annotated by the scheduler that created it).
  bool for_extended_resources = false;
  bool deleted = false;
  std::vector<DeviceRequestSpec> requests;
  std::vector<DeviceConstraintSpec> constraints;
  std::vector<DeviceConfig> config;
  std::optional<ClaimAllocation> allocation;
  // Consumers of resource `pods`.
  std::vector<ClaimConsumer> reserved_for;
};

}  // namespace coppice::engine
