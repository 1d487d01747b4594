#include "services/scheduler/read/bind_requests.h"

#include <fmt/format.h>

#include "api/edit/kai.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "json/strings.h"
#include "kube/object.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"
#include "services/scheduler/read/devices.h"
#include "services/scheduler/read/pods.h"

namespace coppice::services::scheduler {
namespace {

json::Value WriteAmounts(const engine::ResourceList& amounts) {
  json::Value out = json::Value::Object();
  for (const auto& [name, quantity] : amounts) out.Set(name, quantity.ToString());
  return out;
}

void WriteExtended(const engine::BindExtras& extras, edit::kai::ExtendedClaimAllocation out) {
  out.set_allocation(WriteAllocation(*extras.extended_claim_allocation));
  for (const engine::DeviceRequestSpec& request : extras.extended_claim_requests) {
    const edit::resource::DeviceRequest item = out.add_deviceRequests();
    item.set_name(request.name);
    item.exactly()
        .set_deviceClassName(request.device_class)
        .set_allocationMode("ExactCount")
        .set_count(request.count);
  }
  for (const engine::ContainerMapping& mapping : extras.extended_claim_mappings) {
    out.add_containerMappings()
        .set_containerName(mapping.container)
        .set_requestName(mapping.request)
        .set_resourceName(mapping.resource);
  }
}

void WriteSpec(const engine::BindDecision& decision, edit::kai::BindRequestSpec out) {
  out.set_podName(decision.pod.name)
      .set_selectedNode(decision.node)
      .set_receivedResourceType(ToString(decision.received));
  const edit::kai::ReceivedGpu received = out.receivedGPU();
  received.set_portion(fmt::format("{:.2f}", decision.gpu_portion));
  if (decision.gpu_count != 0) received.set_count(decision.gpu_count);
  if (!decision.gpu_groups.empty()) {
    out.set_selectedGPUGroups(json::StringList(decision.gpu_groups));
  }
  const engine::BindExtras& extras = decision.Extras();
  for (const auto& [name, allocation] : extras.claim_allocations) {
    out.add_resourceClaimAllocations().set_name(name).set_allocation(WriteAllocation(allocation));
  }
  if (extras.extended_claim_allocation) {
    WriteExtended(extras, out.extendedResourceClaimAllocation());
  }
  for (const engine::NumaPlacement& zone : extras.numa_zones) {
    out.add_predictedNUMAZones().set_zone(zone.zone).set_amount(WriteAmounts(zone.amount));
  }
}

}  // namespace

engine::BindRequestSpec ReadBindRequest(const json::Value& request) {
  const view::kai::BindRequestSpec spec = view::kai::BindRequest(request).spec();
  engine::BindRequestSpec out;
  out.namespace_name = kube::Namespace(request);
  out.pod_name = spec.podName();
  out.node = spec.selectedNode();
  out.gpu_groups = GpuGroupsOfRequest(request);
  for (const view::kai::ClaimAllocation item : spec.resourceClaimAllocations()) {
    out.claim_allocations[std::string(item.name())] = ReadAllocation(item.allocation());
  }
  const auto extended = spec.extendedResourceClaimAllocation().allocation();
  if (extended) out.extended_claim_allocation = ReadAllocation(extended);
  out.numa_placement = ReadNumaPlacement(spec.predictedNUMAZones());
  return out;
}

bool IsFailedBindRequest(const json::Value& object) {
  const view::kai::BindRequest request(object);
  if (request.status().phase() != "Failed") return false;
  return !request.spec().has_backoffLimit() ||
         request.status().failedAttempts() >= request.spec().backoffLimit();
}

bool IsBindRequestOf(const json::Value& request, const json::Value& pod) {
  const auto owner = view::kai::BindRequest(request).metadata().ownerReferences().At(0);
  return !owner || owner.uid() == kube::Uid(pod);
}

json::Value WriteBindRequest(const engine::BindDecision& decision, std::string_view node_pool_key,
                             std::string_view node_pool_value) {
  json::Value request =
      kube::NewObject(api::kBindRequests, decision.pod.namespace_name, decision.pod.name);
  const edit::kai::BindRequest edit(request);
  const edit::meta::ObjectMeta metadata = edit.metadata();
  metadata.add_ownerReferences()
      .set_apiVersion("v1")
      .set_kind("Pod")
      .set_name(decision.pod.name)
      .set_uid(decision.pod.uid);
  metadata.labels().Set(names::kSelectedNodeLabel, decision.node);
  if (!node_pool_key.empty() && !node_pool_value.empty()) {
    metadata.labels().Set(node_pool_key, node_pool_value);
  }
  WriteSpec(decision, edit.spec());
  return request;
}

}  // namespace coppice::services::scheduler
