#include "backends/workload/canaries.h"

#include "api/edit/core.h"
#include "api/edit/scheduling_v1alpha2.h"
#include "api/edit/scheduling_v1alpha3.h"
#include "api/labels.h"
#include "api/well_known.h"
#include "backends/workload/api_choice.h"
#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;

constexpr std::string_view kName = "coppice-probe";
constexpr std::string_view kNamespace = "default";

void ReferToProbe(edit::scheduling_v1alpha3::WorkloadReference reference) {
  reference.set_workloadName(kName).set_templateName(kName);
}

// v1beta1 has the same fields as v1alpha3; v1alpha2 has another disruptionMode and fewer other
// fields.
Value PodGroupCanary(const api::Resource& resource) {
  Value object = kube::NewObject(resource, kNamespace, kName);
  const auto spec = edit::scheduling_v1alpha3::PodGroup(object).spec();
  spec.schedulingPolicy().gang().set_minCount(1);
  spec.schedulingConstraints().add_topology().set_key(api::labels::kHostname);
  if (resource.version == "v1alpha2") {
    edit::scheduling_v1alpha2::PodGroupSpec(spec.Json()).set_disruptionMode("PodGroup");
  } else {
    spec.disruptionMode().set_all(Value::Object());
    spec.set_parentCompositePodGroupName(kName);
    ReferToProbe(spec.workloadRef());
  }
  spec.add_resourceClaims().set_name("probe").set_resourceClaimTemplateName(kName);
  return object;
}

Value CompositeCanary() {
  Value object = kube::NewObject(CompositePodGroups(), kNamespace, kName);
  const auto spec = edit::scheduling_v1alpha3::CompositePodGroup(object).spec();
  ReferToProbe(spec.workloadRef());
  spec.schedulingPolicy().gang().set_minGroupCount(1);
  return object;
}

Value PodCanary() {
  Value object = kube::NewObject(api::kPods, kNamespace, kName);
  const edit::core::PodSpec spec = edit::core::Pod(object).spec();
  spec.add_containers().set_name("probe").set_image("probe");
  spec.workloadRef().set_name(kName).set_podGroup("probe");
  spec.schedulingGroup().set_podGroupName(kName);
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
