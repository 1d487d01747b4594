#include "services/scheduler/read/bind_requests.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/names.h"
#include "services/scheduler/read/devices.h"
#include "services/scheduler/read/pods.h"

namespace coppice::services::scheduler {
namespace {

json::Value OwnerOf(const engine::PodKey& pod) {
  return json::Value::Array({json::Value::Object(
      {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", pod.name}, {"uid", pod.uid}})});
}

json::Value WriteZones(const std::vector<engine::NumaPlacement>& zones) {
  json::Value out = json::Value::Array();
  for (const engine::NumaPlacement& zone : zones) {
    json::Value amount = json::Value::Object();
    for (const auto& [name, quantity] : zone.amount) amount.Set(name, quantity.ToString());
    out.Append(json::Value::Object({{"zone", zone.zone}, {"amount", std::move(amount)}}));
  }
  return out;
}

json::Value WriteReceivedGpu(const engine::BindDecision& decision) {
  json::Value out = json::Value::Object({{"portion", fmt::format("{:.2f}", decision.gpu_portion)}});
  if (decision.gpu_count != 0) out.Set("count", decision.gpu_count);
  return out;
}

json::Value WriteExtended(const engine::BindExtras& extras) {
  json::Value out =
      json::Value::Object({{"allocation", WriteAllocation(*extras.extended_claim_allocation)}});
  for (const engine::DeviceRequestSpec& request : extras.extended_claim_requests) {
    out.Mutable("deviceRequests")
        .Append(json::Value::Object(
            {{"name", request.name},
             {"exactly", json::Value::Object({{"deviceClassName", request.device_class},
                                              {"allocationMode", "ExactCount"},
                                              {"count", request.count}})}}));
  }
  for (const engine::ContainerMapping& mapping : extras.extended_claim_mappings) {
    out.Mutable("containerMappings")
        .Append(json::Value::Object({{"containerName", mapping.container},
                                     {"requestName", mapping.request},
                                     {"resourceName", mapping.resource}}));
  }
  return out;
}

json::Value WriteSpec(const engine::BindDecision& decision) {
  json::Value spec = json::Value::Object({{"podName", decision.pod.name},
                                          {"selectedNode", decision.node},
                                          {"receivedResourceType", ToString(decision.received)},
                                          {"receivedGPU", WriteReceivedGpu(decision)}});
  for (const std::string& group : decision.gpu_groups) {
    spec.Mutable("selectedGPUGroups").Append(group);
  }
  const engine::BindExtras& extras = decision.Extras();
  for (const auto& [name, allocation] : extras.claim_allocations) {
    spec.Mutable("resourceClaimAllocations")
        .Append(json::Value::Object({{"name", name}, {"allocation", WriteAllocation(allocation)}}));
  }
  if (extras.extended_claim_allocation) {
    spec.Set("extendedResourceClaimAllocation", WriteExtended(extras));
  }
  if (!extras.numa_zones.empty()) spec.Set("predictedNUMAZones", WriteZones(extras.numa_zones));
  return spec;
}

}  // namespace

engine::BindRequestSpec ReadBindRequest(const json::Value& request) {
  const json::Value& spec = request["spec"];
  engine::BindRequestSpec out;
  out.namespace_name = kube::Namespace(request);
  out.pod_name = spec["podName"].ToString();
  out.node = spec["selectedNode"].ToString();
  for (const json::Value& group : spec["selectedGPUGroups"].Items()) {
    out.gpu_groups.push_back(group.ToString());
  }
  for (const json::Value& item : spec["resourceClaimAllocations"].Items()) {
    out.claim_allocations[item["name"].ToString()] = ReadAllocation(item["allocation"]);
  }
  const json::Value& extended = spec["extendedResourceClaimAllocation"]["allocation"];
  if (!extended.IsNull()) out.extended_claim_allocation = ReadAllocation(extended);
  out.numa_placement = ReadNumaPlacement(spec["predictedNUMAZones"]);
  return out;
}

bool IsFailedBindRequest(const json::Value& request) {
  if (request["status"]["phase"].AsString() != "Failed") return false;
  const json::Value& limit = request["spec"]["backoffLimit"];
  return limit.IsNull() || request["status"]["failedAttempts"].AsInt() >= limit.AsInt();
}

bool IsBindRequestOf(const json::Value& request, const json::Value& pod) {
  const json::Value& owner = request["metadata"]["ownerReferences"].At(0);
  return owner.IsNull() || owner["uid"].AsString() == kube::Uid(pod);
}

json::Value WriteBindRequest(const engine::BindDecision& decision, std::string_view node_pool_key,
                             std::string_view node_pool_value) {
  json::Value request =
      kube::NewObject(api::kBindRequests, decision.pod.namespace_name, decision.pod.name);
  json::Value& metadata = request.Mutable("metadata");
  metadata.Set("ownerReferences", OwnerOf(decision.pod));
  metadata.Mutable("labels").Set(names::kSelectedNodeLabel, decision.node);
  if (!node_pool_key.empty() && !node_pool_value.empty()) {
    metadata.Mutable("labels").Set(node_pool_key, node_pool_value);
  }
  request.Set("spec", WriteSpec(decision));
  return request;
}

}  // namespace coppice::services::scheduler
