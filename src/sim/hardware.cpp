#include "sim/hardware.h"

#include <fmt/format.h>

#include "api/edit/resource.h"
#include "api/edit/topology_v1alpha2.h"
#include "api/well_known.h"
#include "base/quantity.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/scheduler/read/numa.h"

namespace coppice::sim {
namespace {

using json::Value;
using services::scheduler::kNodeResourceTopologies;

constexpr std::string_view kNumaCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: noderesourcetopologies.topology.node.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for simulated nodes and tests"}
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

namespace topology = edit::topology_v1alpha2;

void AddResource(std::string_view name, const std::string& amount, topology::Zone zone) {
  zone.add_resources().set_name(name).set_capacity(amount).set_allocatable(amount).set_available(
      amount);
}

// The node's GPUs and CPUs, divided among its zones.
void AddZone(const NodePool& pool, int index, topology::NodeResourceTopology object) {
  const int zones = pool.numa->zones;
  const int64_t cpu = base::Quantity::Parse(pool.cpu).value_or(base::Quantity()).MilliValue();
  const topology::Zone zone = object.add_zones();
  zone.set_name(fmt::format("node-{}", index)).set_type("Node");
  AddResource("cpu", fmt::format("{}m", cpu / zones), zone);
  if (pool.gpus == 0) return;
  AddResource(services::names::kGpuResource, fmt::format("{}", pool.gpus / zones), zone);
}

Value MakeNumaTopology(const NodePool& pool, const std::string& node) {
  Value object = kube::NewObject(kNodeResourceTopologies, "", node);
  const topology::NodeResourceTopology edit(object);
  edit.add_attributes().set_name("topologyManagerPolicy").set_value(pool.numa->policy);
  edit.add_attributes().set_name("topologyManagerScope").set_value(pool.numa->scope);
  for (int i = 0; i < pool.numa->zones; ++i) AddZone(pool, i, edit);
  return object;
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
