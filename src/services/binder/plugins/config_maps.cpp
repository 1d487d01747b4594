#include "services/binder/plugins/config_maps.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::services::binder {
namespace {

// Makes the map the pod's, with this data.
void Fill(const json::Value& pod, const std::map<std::string, std::string>& data,
          edit::core::ConfigMap map) {
  map.metadata()
      .add_ownerReferences()
      .set_apiVersion("v1")
      .set_kind("Pod")
      .set_name(kube::Name(pod))
      .set_uid(kube::Uid(pod));
  for (const auto& [key, value] : data) map.data().Set(key, value);
}

// In our own map only keys with a value are set; another map is replaced completely.
json::Value PatchFor(const json::Value& existing, const json::Value& pod,
                     const std::map<std::string, std::string>& data) {
  json::Value patch = json::Value::Object();
  const edit::core::ConfigMap map(patch);
  if (!kube::IsOwnedBy(existing, kube::Uid(pod))) {
    Fill(pod, data, map);
    return patch;
  }
  const auto present = view::core::ConfigMap(existing).data();
  for (const auto& [key, value] : data) {
    if (!value.empty() && present[key] != value) map.data().Set(key, value);
  }
  return patch;
}

}  // namespace

base::Result<SharingMaps> SharingMapsOf(const json::Value& pod) {
  const std::string_view prefix = kube::Annotation(pod, names::kSharedGpuConfigMap);
  if (prefix.empty()) {
    return base::InvalidArgument(fmt::format(
        "the pod lacks the annotation {}, which admission sets", names::kSharedGpuConfigMap));
  }
  COPPICE_ASSIGN(const ContainerPlace place, FractionContainer(pod));
  const std::string name = fmt::format("{}-{}", prefix, place.Suffix());
  return SharingMaps{name, name + "-evar"};
}

base::Status UpsertConfigMap(kube::Client& client, const json::Value& pod, const std::string& name,
                             const std::map<std::string, std::string>& data) {
  const api::ObjectKey key{std::string(kube::Namespace(pod)), name};
  const base::Result<json::Value> existing = client.Get(api::kConfigMaps, key);
  if (existing) {
    const json::Value patch = PatchFor(*existing, pod, data);
    if (patch.empty()) return {};
    COPPICE_TRY(client.Patch(api::kConfigMaps, key, kube::PatchType::kMerge, patch));
    return {};
  }
  if (!existing.Is(base::ErrorCode::kNotFound)) return existing.error();
  json::Value map = kube::NewObject(api::kConfigMaps, key.ns, name);
  Fill(pod, data, edit::core::ConfigMap(map));
  COPPICE_TRY(client.Create(api::kConfigMaps, map));
  return {};
}

base::Status DeleteConfigMap(kube::Client& client, const json::Value& pod,
                             const std::string& name) {
  const base::Status deleted =
      client.Delete(api::kConfigMaps, {std::string(kube::Namespace(pod)), name});
  if (deleted || deleted.Is(base::ErrorCode::kNotFound)) return {};
  return deleted;
}

}  // namespace coppice::services::binder
