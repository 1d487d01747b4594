#include "backends/workload/canaries.h"

#include "api/well_known.h"
#include "backends/workload/api_choice.h"
#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;

constexpr std::string_view kName = "coppice-probe";
constexpr std::string_view kNamespace = "default";

Value Topology() {
  return Value::Object(
      {{"topology", Value::Array({Value::Object({{"key", "kubernetes.io/hostname"}})})}});
}

Value Gang(std::string_view count) {
  return Value::Object({{"gang", Value::Object({{count, 1}})}});
}

Value PodGroupCanary(const api::Resource& resource) {
  Value object = kube::NewObject(resource, kNamespace, kName);
  Value spec = Value::Object(
      {{"schedulingPolicy", Gang("minCount")}, {"schedulingConstraints", Topology()}});
  if (resource.version == "v1alpha2") {
    spec.Set("disruptionMode", "PodGroup");
  } else {
    spec.Set("disruptionMode", Value::Object({{"all", Value::Object()}}));
    spec.Set("parentCompositePodGroupName", kName);
    spec.Set("workloadRef", Value::Object({{"workloadName", kName}, {"templateName", kName}}));
  }
  spec.Set(
      "resourceClaims",
      Value::Array({Value::Object({{"name", "probe"}, {"resourceClaimTemplateName", kName}})}));
  object.Set("spec", std::move(spec));
  return object;
}

Value CompositeCanary() {
  Value object = kube::NewObject(CompositePodGroups(), kNamespace, kName);
  object.Set("spec", Value::Object({{"workloadRef", Value::Object({{"workloadName", kName},
                                                                   {"templateName", kName}})},
                                    {"schedulingPolicy", Gang("minGroupCount")}}));
  return object;
}

Value PodCanary() {
  Value object = kube::NewObject(api::kPods, kNamespace, kName);
  object.Set(
      "spec",
      Value::Object(
          {{"containers", Value::Array({Value::Object({{"name", "probe"}, {"image", "probe"}})})},
           {"workloadRef", Value::Object({{"name", kName}, {"podGroup", "probe"}})},
           {"schedulingGroup", Value::Object({{"podGroupName", kName}})}}));
  return object;
}

}  // namespace

std::vector<ResourceUse> GangApiUses() {
  std::vector<ResourceUse> uses;
  for (const std::string version : {"v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"}) {
    uses.push_back({.resource = Workloads(version), .write = true});
    if (version == "v1alpha1") continue;
    std::vector<std::string> fields = {"spec.schedulingConstraints", "spec.disruptionMode",
                                       "spec.resourceClaims"};
    if (version != "v1alpha2") fields.push_back("spec.parentCompositePodGroupName");
    uses.push_back({.resource = PodGroups(version),
                    .write = true,
                    .fields = std::move(fields),
                    .canary = PodGroupCanary(PodGroups(version))});
  }
  uses.push_back({.resource = CompositePodGroups(),
                  .write = true,
                  .fields = {"spec.schedulingPolicy"},
                  .canary = CompositeCanary()});
  uses.push_back({.resource = api::kPods,
                  .write = false,
                  .fields = {"spec.workloadRef", "spec.schedulingGroup"},
                  .canary = PodCanary()});
  return uses;
}

}  // namespace coppice::backends::workload
