#include "services/platform/setup.h"

#include <fmt/format.h>

#include <optional>

#include "api/edit/kai.h"
#include "api/foreign/names.h"
#include "api/kai/names.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "services/common/served.h"
#include "services/platform/model/config_defaults.h"
#include "services/platform/model/objects.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr std::string_view kHookPrefix = api::foreign::kHelmHookPrefix;
using api::kai::names::kMigratedFrom;
constexpr std::string_view kKueue = "kueue.x-k8s.io";

base::Status Apply(kube::Client& client, const api::Resource& resource, const Value& object,
                   const std::string& manager) {
  const auto applied = client.Patch(resource, kube::KeyOf(object), kube::PatchType::kApply, object,
                                    {.field_manager = manager, .force = true});
  if (!applied) {
    return applied.error().During(fmt::format("applying {} {}", resource.kind, kube::Name(object)));
  }
  return {};
}

base::Status DropHookAnnotations(kube::Client& client, const Value& config) {
  Value patch;
  for (const auto& [name, value] : view::kai::Config(config).metadata().annotations()) {
    if (!name.starts_with(kHookPrefix)) continue;
    edit::kai::Config(patch).metadata().annotations().Set(name, nullptr);
  }
  if (patch.IsNull()) return {};
  COPPICE_TRY(client.Patch(api::kConfigs, kube::KeyOf(config), kube::PatchType::kMerge, patch));
  return {};
}

std::optional<api::Resource> KueueTopologies(kube::Client& client) {
  for (const char* version : {"v1beta2", "v1beta1", "v1alpha1"}) {
    const api::Resource resource{std::string(kKueue), version, "topologies", "Topology", false};
    if (const auto served = IsServed(client, resource); !served || *served) return resource;
  }
  return std::nullopt;
}

// Kueue's Topology has what ours has, in the same places.
Value CopyOf(const Value& topology) {
  Value made = kube::NewObject(api::kTopologies, "", kube::Name(topology));
  const edit::kai::Topology copy(made);
  copy.metadata().annotations().Set(kMigratedFrom, kKueue);
  copy.spec().set_levels(Value::Array());
  for (const auto level : view::kai::Topology(topology).spec().levels()) {
    copy.spec().add_levels().set_nodeLabel(level.nodeLabel());
  }
  return made;
}

}  // namespace

base::Status ApplyConfig(kube::Client& client, const Value& config) {
  const std::string_view kind = kube::Kind(config);
  if (kind != api::kConfigs.kind || kube::Name(config) != kConfigName) {
    return base::InvalidArgument(fmt::format("expected a Config called {}, not {} \"{}\"",
                                             kConfigName, kind.empty() ? "nothing" : kind,
                                             kube::Name(config)));
  }
  const auto live = client.Get(api::kConfigs, kube::KeyOf(config));
  if (live) COPPICE_TRY(DropHookAnnotations(client, *live));
  return Apply(client, api::kConfigs, config, "kai-config-deployer");
}

base::Result<std::vector<std::string>> MigrateTopologies(kube::Client& client) {
  std::vector<std::string> copied;
  const auto kueue = KueueTopologies(client);
  if (!kueue) return copied;
  COPPICE_ASSIGN(const kube::ObjectList theirs, client.List(*kueue));
  for (const Value& topology : theirs.items) {
    const auto created = client.Create(api::kTopologies, CopyOf(topology));
    if (created.Is(base::ErrorCode::kAlreadyExists)) continue;
    if (!created) {
      return created.error().During(fmt::format("copying Topology {}", kube::Name(topology)));
    }
    copied.emplace_back(kube::Name(topology));
  }
  return copied;
}

base::Status CleanUp(kube::Client& client, const std::string& ns) {
  COPPICE_ASSIGN(
      const kube::ObjectList deployments,
      client.List(api::kDeployments,
                  {.ns = ns, .label_selector = fmt::format("{}={}", kManagedBy, kManager)}));
  for (const Value& deployment : deployments.items) {
    COPPICE_TRY(kube::DeleteObject(client, api::kDeployments, deployment));
  }
  const auto config = client.Get(api::kConfigs, {"", std::string(kConfigName)});
  // With the CustomResourceDefinition gone there is none either.
  if (config.Is(base::ErrorCode::kNotFound)) return {};
  COPPICE_TRY(config);
  return kube::DeleteObject(client, api::kConfigs, *config);
}

}  // namespace coppice::services::platform
