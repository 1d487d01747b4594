#include "operator/tests/rig/resources_testing.h"

#include <vector>

#include "api/well_known.h"
#include "base/check.h"
#include "json/yaml/yaml.h"

namespace coppice::operators {
namespace {

const std::vector<api::Resource>& Known() {
  static const std::vector<api::Resource> resources = {
      api::kPods,
      api::kNodes,
      api::kNamespaces,
      api::kServices,
      api::kSecrets,
      api::kServiceAccounts,
      api::kRoles,
      api::kRoleBindings,
      api::kHorizontalPodAutoscalers,
      api::kPriorityClasses,
      {"", "v1", "resourcequotas", "ResourceQuota", true},
      api::kResourceClaims,
      api::kResourceClaimTemplates,
      api::kDeviceClasses,
      api::kPodCliqueSets,
      api::kPodCliques,
      api::kPodCliqueScalingGroups,
      api::kClusterTopologyBindings,
      api::kPodGangs,
      api::kQueues,
      api::kPodGroups,
      api::kTopologies,
      {"scheduling.volcano.sh", "v1beta1", "queues", "Queue", false},
      {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true},
      {"resource.nvidia.com", "v1beta1", "computedomains", "ComputeDomain", true}};
  return resources;
}

}  // namespace

api::Resource ResourceOf(const json::Value& object) {
  const std::string_view version = object["apiVersion"].AsString();
  const size_t slash = version.find('/');
  return ResourceOfKind(object["kind"].AsString(),
                        slash == std::string_view::npos ? "" : version.substr(0, slash));
}

api::Resource ResourceOfKind(std::string_view kind, std::string_view group) {
  const api::Resource* by_kind = nullptr;
  for (const api::Resource& resource : Known()) {
    if (resource.kind != kind) continue;
    if (resource.group == group) return resource;
    if (by_kind == nullptr) by_kind = &resource;
  }
  COPPICE_CHECK(by_kind != nullptr);
  return *by_kind;
}

json::Value ComputeDomainCrd() {
  return *json::ParseYaml(
      "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "
      "computedomains.resource.nvidia.com}, spec: {group: resource.nvidia.com, scope: Namespaced, "
      "names: {plural: computedomains, singular: computedomain, kind: ComputeDomain, listKind: "
      "ComputeDomainList}, versions: [{name: v1beta1, served: true, storage: true, schema: "
      "{openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}");
}

}  // namespace coppice::operators
