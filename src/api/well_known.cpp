#include "api/well_known.h"

#include <algorithm>
#include <cctype>

namespace coppice::api {
namespace {

const std::vector<Resource>& All() {
  static const std::vector<Resource> all = {kPods,
                                            kNodes,
                                            kNamespaces,
                                            kServices,
                                            kConfigMaps,
                                            kSecrets,
                                            kServiceAccounts,
                                            kEvents,
                                            kPersistentVolumeClaims,
                                            kPersistentVolumes,
                                            kLeases,
                                            kDeployments,
                                            kReplicaSets,
                                            kStatefulSets,
                                            kJobs,
                                            kRoles,
                                            kRoleBindings,
                                            kHorizontalPodAutoscalers,
                                            kPriorityClasses,
                                            kRuntimeClasses,
                                            kStorageClasses,
                                            kCsiDrivers,
                                            kCsiStorageCapacities,
                                            kResourceClaims,
                                            kResourceClaimTemplates,
                                            kResourceSlices,
                                            kDeviceClasses,
                                            kWorkloadsV1Alpha1,
                                            kEndpointSlices,
                                            kMutatingWebhooks,
                                            kValidatingWebhooks,
                                            kCustomResourceDefinitions,
                                            kPodCliqueSets,
                                            kPodCliques,
                                            kPodCliqueScalingGroups,
                                            kClusterTopologyBindings,
                                            kPodGangs,
                                            kQueues,
                                            kPodGroups,
                                            kBindRequests,
                                            kTopologies,
                                            kConfigs,
                                            kSchedulingShards};
  return all;
}

std::string Plural(std::string kind) {
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (kind.ends_with("s") || kind.ends_with("x") || kind.ends_with("ch")) return kind + "es";
  if (kind.ends_with("y")) return kind.substr(0, kind.size() - 1) + "ies";
  return kind + "s";
}

}  // namespace

std::optional<Resource> FindResource(std::string_view kind, std::string_view api_version) {
  for (const Resource& resource : All()) {
    if (resource.kind == kind && (api_version.empty() || resource.ApiVersion() == api_version)) {
      return resource;
    }
  }
  if (api_version.empty()) return std::nullopt;
  const size_t slash = api_version.find('/');
  const std::string group(slash == std::string_view::npos ? "" : api_version.substr(0, slash));
  const std::string version(slash == std::string_view::npos ? api_version
                                                            : api_version.substr(slash + 1));
  return Resource{group, version, Plural(std::string(kind)), std::string(kind), true};
}

}  // namespace coppice::api
