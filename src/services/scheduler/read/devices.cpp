#include "services/scheduler/read/devices.h"

#include "api/edit/resource.h"
#include "api/view/resource_v1beta1.h"
#include "json/parse.h"
#include "json/strings.h"
#include "json/write.h"
#include "kube/object.h"
#include "services/common/claims.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

using view::resource::DeviceAllocationConfiguration;

std::vector<std::string> ReadCelSelectors(view::List<view::resource::DeviceSelector> list) {
  std::vector<std::string> out;
  for (const auto selector : list) out.emplace_back(selector.cel().expression());
  return out;
}

std::optional<engine::DeviceAttribute> ReadAttribute(view::resource::DeviceAttribute value) {
  if (value.has_string()) return std::string(value.string());
  if (value.has_int_()) return value.int_();
  if (value.has_bool_()) return value.bool_();
  if (value.has_version()) return engine::DeviceVersion{std::string(value.version())};
  return std::nullopt;
}

std::map<std::string, base::Quantity> ReadCapacity(view::Map<view::resource::DeviceCapacity> map) {
  std::map<std::string, base::Quantity> out;
  for (const auto [name, capacity] : map) {
    // v1beta1 first wrote the quantity itself, later versions an object around it.
    const std::string_view text =
        capacity ? capacity.value().AsString() : capacity.Json().AsString();
    if (const auto quantity = base::Quantity::Parse(text)) out.emplace(name, *quantity);
  }
  return out;
}

// v1beta1 has what later versions have in the device itself one level below.
engine::DeviceSpec ReadDevice(view::resource::Device device) {
  const view::resource_v1beta1::Device older(device.Json());
  const view::resource::Device body = older.has_basic() ? older.basic() : device;
  engine::DeviceSpec out;
  out.name = device.name();
  for (const auto [name, value] : body.attributes()) {
    if (auto attribute = ReadAttribute(value)) out.attributes.emplace(name, *attribute);
  }
  out.capacity = ReadCapacity(body.capacity());
  out.taints = ReadTaints(body.taints());
  return out;
}

// What classes and claims configure is what an allocation is configured with, less its source.
template <typename Configuration>
std::vector<engine::DeviceConfig> ReadConfig(view::List<Configuration> list) {
  std::vector<engine::DeviceConfig> out;
  for (const Configuration each : list) {
    const DeviceAllocationConfiguration item(each.Json());
    json::Value rest = item.Json();
    edit::resource::DeviceAllocationConfiguration(rest).clear_source();
    edit::resource::DeviceAllocationConfiguration(rest).clear_requests();
    out.push_back(
        {std::string(item.source()), json::ReadStrings(item.requests().Json()), json::Write(rest)});
  }
  return out;
}

json::Value WriteConfig(const engine::DeviceConfig& config) {
  json::Value out;
  const edit::resource::DeviceAllocationConfiguration edit(out);
  edit.set_source(config.source);
  if (!config.requests.empty()) edit.set_requests(json::StringList(config.requests));
  if (const auto body = json::Parse(config.configuration)) {
    for (const json::Member& member : body->Members()) out.Set(member.name(), member.value);
  }
  return out;
}

engine::DeviceAllocationMode ReadMode(std::string_view mode) {
  if (mode.empty() || mode == "ExactCount") return engine::DeviceAllocationMode::kExactCount;
  if (mode == "All") return engine::DeviceAllocationMode::kAll;
  return engine::DeviceAllocationMode::kUnknown;
}

// v1beta1 has what later versions call `exactly` in the request itself.
engine::DeviceRequestSpec ReadRequest(view::resource::DeviceRequest request) {
  const view::resource::ExactDeviceRequest itself(request.Json());
  const auto body = request.has_exactly() ? request.exactly() : itself;
  return {std::string(request.name()),
          std::string(body.deviceClassName()),
          ReadMode(body.allocationMode()),
          body.count(1),
          ReadCelSelectors(body.selectors()),
          ReadTolerations(body.tolerations()),
          body.adminAccess()};
}

engine::DeviceConstraintSpec ReadDeviceConstraint(view::resource::DeviceConstraint constraint) {
  engine::DeviceConstraintSpec out;
  out.requests = json::ReadStrings(constraint.requests().Json());
  out.match_attribute = constraint.matchAttribute();
  return out;
}

std::string OwnerPodUid(view::meta::ObjectMeta object) {
  for (const view::meta::OwnerReference owner : object.ownerReferences()) {
    if (owner.kind() == "Pod") return std::string(owner.uid());
  }
  return "";
}

}  // namespace

engine::DeviceClassSpec ReadDeviceClass(const json::Value& device_class) {
  const view::resource::DeviceClassSpec spec = view::resource::DeviceClass(device_class).spec();
  return {std::string(kube::Name(device_class)), ReadCelSelectors(spec.selectors()),
          std::string(spec.extendedResourceName()), ReadConfig(spec.config())};
}

engine::ResourceSliceSpec ReadResourceSlice(const json::Value& slice) {
  const view::resource::ResourceSliceSpec spec = view::resource::ResourceSlice(slice).spec();
  engine::ResourceSliceSpec out;
  out.name = kube::Name(slice);
  out.driver = spec.driver();
  out.pool = spec.pool().name();
  out.pool_generation = spec.pool().generation();
  out.pool_slice_count = spec.pool().resourceSliceCount(1);
  out.node_name = spec.nodeName();
  out.all_nodes = spec.allNodes();
  if (spec.has_nodeSelector()) out.node_selector = ReadNodeSelector(spec.nodeSelector());
  for (const view::resource::Device device : spec.devices()) {
    out.devices.push_back(ReadDevice(device));
  }
  return out;
}

engine::ResourceClaimSpec ReadResourceClaim(const json::Value& object) {
  const view::resource::ResourceClaim claim(object);
  engine::ResourceClaimSpec out;
  out.namespace_name = claim.metadata().namespace_();
  out.name = claim.metadata().name();
  out.uid = claim.metadata().uid();
  out.labels = ReadLabels(claim.metadata().labels());
  out.owner_pod_uid = OwnerPodUid(claim.metadata());
  out.for_extended_resources = IsExtendedResourceClaim(object);
  out.deleted = kube::IsDeleting(object);
  const view::resource::DeviceClaim devices = claim.spec().devices();
  for (const auto item : devices.requests()) out.requests.push_back(ReadRequest(item));
  for (const auto item : devices.constraints()) {
    out.constraints.push_back(ReadDeviceConstraint(item));
  }
  out.config = ReadConfig(devices.config());
  if (claim.status().has_allocation()) {
    out.allocation = ReadAllocation(claim.status().allocation());
  }
  for (const auto user : claim.status().reservedFor()) {
    if (user.resource() != "pods") continue;
    out.reserved_for.push_back({std::string(user.name()), std::string(user.uid())});
  }
  return out;
}

engine::ClaimAllocation ReadAllocation(view::resource::AllocationResult allocation) {
  engine::ClaimAllocation out;
  for (const auto result : allocation.devices().results()) {
    out.devices.push_back({std::string(result.request()), std::string(result.driver()),
                           std::string(result.pool()), std::string(result.device()),
                           result.adminAccess()});
  }
  out.config = ReadConfig(allocation.devices().config());
  if (allocation.has_nodeSelector()) {
    out.node_selector = ReadNodeSelector(allocation.nodeSelector());
  }
  return out;
}

json::Value WriteAllocation(const engine::ClaimAllocation& allocation) {
  json::Value out;
  const edit::resource::AllocationResult edit(out);
  const edit::resource::DeviceAllocationResult devices = edit.devices();
  devices.set_results(json::Value::Array());
  for (const engine::AllocatedDevice& device : allocation.devices) {
    const edit::resource::DeviceRequestAllocationResult result = devices.add_results();
    result.set_request(device.request).set_driver(device.driver);
    result.set_pool(device.pool).set_device(device.device);
    if (device.admin_access) result.set_adminAccess(true);
  }
  for (const engine::DeviceConfig& config : allocation.config) {
    devices.config().Json().Append(WriteConfig(config));
  }
  if (allocation.node_selector) {
    edit.set_nodeSelector(WriteNodeSelector(*allocation.node_selector));
  }
  return out;
}

}  // namespace coppice::services::scheduler
