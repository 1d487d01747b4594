#include "sim/hardware.h"

#include <fmt/format.h>

#include "api/edit/resource.h"
#include "api/well_known.h"
#include "base/quantity.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "services/scheduler/read/numa.h"

namespace coppice::sim {
namespace {

using json::Value;
using services::scheduler::kNodeResourceTopologies;

constexpr std::string_view kNumaCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: noderesourcetopologies.topology.node.k8s.io}
spec:
  group: topology.node.k8s.io
  names: {kind: NodeResourceTopology, plural: noderesourcetopologies, singular: noderesourcetopology}
  scope: Cluster
  versions:
  - name: v1alpha2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

base::Status Publish(kube::Client& client, const api::Resource& resource, const Value& object) {
  const auto created = client.Create(resource, object);
  if (created || created.Is(base::ErrorCode::kAlreadyExists)) return {};
  return created.error().During(fmt::format("publishing {} {}", resource.kind, kube::Name(object)));
}

Value ZoneResource(std::string_view name, const std::string& amount) {
  return Value::Object(
      {{"name", name}, {"capacity", amount}, {"allocatable", amount}, {"available", amount}});
}

// The node's GPUs and processors, divided among its zones.
Value MakeZone(const NodePool& pool, int index) {
  const int zones = pool.numa->zones;
  const int64_t cpu = base::Quantity::Parse(pool.cpu).value_or(base::Quantity()).MilliValue();
  Value resources = Value::Array({ZoneResource("cpu", fmt::format("{}m", cpu / zones))});
  if (pool.gpus > 0) {
    resources.Append(ZoneResource("nvidia.com/gpu", fmt::format("{}", pool.gpus / zones)));
  }
  return Value::Object({{"name", fmt::format("node-{}", index)},
                        {"type", "Node"},
                        {"resources", std::move(resources)}});
}

Value MakeNumaTopology(const NodePool& pool, const std::string& node) {
  const auto attribute = [](std::string_view name, const std::string& value) {
    return Value::Object({{"name", name}, {"value", value}});
  };
  Value object = kube::NewObject(kNodeResourceTopologies, "", node);
  object.Set("attributes", Value::Array({attribute("topologyManagerPolicy", pool.numa->policy),
                                         attribute("topologyManagerScope", pool.numa->scope)}));
  Value zones = Value::Array();
  for (int i = 0; i < pool.numa->zones; ++i) zones.Append(MakeZone(pool, i));
  return object.Set("zones", std::move(zones));
}

Value MakeDeviceClass(const DevicePool& devices) {
  Value object = kube::NewObject(api::kDeviceClasses, "", devices.device_class);
  const edit::resource::DeviceClassSpec spec = edit::resource::DeviceClass(object).spec();
  spec.add_selectors().cel().set_expression(
      fmt::format("device.driver == \"{}\"", devices.device_class));
  if (!devices.extended_resource.empty()) {
    spec.set_extendedResourceName(devices.extended_resource);
  }
  return object;
}

Value MakeSlice(const DevicePool& devices, const std::string& node) {
  Value object =
      kube::NewObject(api::kResourceSlices, "", fmt::format("{}-{}", node, devices.device_class));
  const edit::resource::ResourceSliceSpec spec = edit::resource::ResourceSlice(object).spec();
  spec.set_nodeName(node).set_driver(devices.device_class);
  spec.pool().set_name(node).set_generation(1).set_resourceSliceCount(1);
  for (int i = 0; i < devices.count; ++i) {
    spec.add_devices().set_name(fmt::format("device-{}", i));
  }
  return object;
}

base::Status PublishPool(kube::Client& client, const NodePool& pool) {
  if (pool.numa) {
    COPPICE_TRY(Publish(client, api::kCustomResourceDefinitions, *json::ParseYaml(kNumaCrd)));
  }
  if (pool.devices) {
    COPPICE_TRY(Publish(client, api::kDeviceClasses, MakeDeviceClass(*pool.devices)));
  }
  for (int i = 0; i < pool.count; ++i) {
    const std::string node = fmt::format("{}{}", pool.prefix, i);
    if (pool.numa) {
      COPPICE_TRY(Publish(client, kNodeResourceTopologies, MakeNumaTopology(pool, node)));
    }
    if (pool.devices) {
      COPPICE_TRY(Publish(client, api::kResourceSlices, MakeSlice(*pool.devices, node)));
    }
  }
  return {};
}

}  // namespace

base::Status PublishHardware(kube::Client& client, const ClusterShape& shape) {
  for (const NodePool& pool : shape.pools) COPPICE_TRY(PublishPool(client, pool));
  return {};
}

}  // namespace coppice::sim
