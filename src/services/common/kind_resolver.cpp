#include "services/common/kind_resolver.h"

#include <fmt/format.h>

#include "api/view/apidiscovery.h"
#include "api/well_known.h"

namespace coppice::services {
namespace {

// Kinds that need no discovery.
const api::Resource* BuiltIn(std::string_view api_version, std::string_view kind) {
  static const api::Resource* const kKnown[] = {
      &api::kPods,          &api::kConfigMaps,     &api::kPriorityClasses,
      &api::kDeployments,   &api::kReplicaSets,    &api::kStatefulSets,
      &api::kJobs,          &api::kPodGroups,      &api::kPodGangs,
      &api::kPodCliqueSets, &api::kPodCliques,     &api::kPodCliqueScalingGroups,
      &api::kNamespaces,    &api::kResourceClaims,
  };
  for (const api::Resource* resource : kKnown) {
    if (resource->kind == kind && resource->ApiVersion() == api_version) return resource;
  }
  return nullptr;
}

}  // namespace

base::Result<api::Resource> KindResolver::Resolve(std::string_view api_version,
                                                  std::string_view kind) {
  if (const api::Resource* known = BuiltIn(api_version, kind)) return *known;
  const std::pair key(std::string{api_version}, std::string{kind});
  {
    std::lock_guard lock(mutex_);
    if (auto found = known_.find(key); found != known_.end()) return found->second;
  }
  COPPICE_ASSIGN(api::Resource resource, Discover(api_version, kind));
  std::lock_guard lock(mutex_);
  return known_.emplace(key, std::move(resource)).first->second;
}

base::Result<api::Resource> KindResolver::Discover(std::string_view api_version,
                                                   std::string_view kind) {
  const size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  COPPICE_ASSIGN(const json::Value list,
                 client_.GetPath(fmt::format("/{}/{}", core ? "api" : "apis", api_version)));
  for (const auto item : view::apidiscovery::APIResourceList(list).resources()) {
    const std::string_view name = item.name();
    if (item.kind() != kind || name.find('/') != std::string_view::npos) continue;
    return api::Resource{core ? "" : std::string(api_version.substr(0, slash)),
                         std::string(core ? api_version : api_version.substr(slash + 1)),
                         std::string(name), std::string(kind), item.namespaced()};
  }
  return base::NotFound(fmt::format("the cluster does not serve {} {}", api_version, kind));
}

}  // namespace coppice::services
