#include "services/binder/config_maps.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/gpu_sharing.h"
#include "services/names.h"

namespace coppice::services::binder {
namespace {

json::Value OwnerReferences(const json::Value& pod) {
  return json::Value::Array({json::Value::Object({{"apiVersion", "v1"},
                                                  {"kind", "Pod"},
                                                  {"name", kube::Name(pod)},
                                                  {"uid", kube::Uid(pod)}})});
}

json::Value DataJson(const std::map<std::string, std::string>& data) {
  json::Value out = json::Value::Object();
  for (const auto& [key, value] : data) out.Set(key, value);
  return out;
}

// Of a map that is ours only keys with a value are set; one that is not becomes ours altogether.
json::Value PatchFor(const json::Value& existing, const json::Value& pod,
                     const std::map<std::string, std::string>& data) {
  json::Value patch = json::Value::Object();
  if (!kube::IsOwnedBy(existing, kube::Uid(pod))) {
    patch.Mutable("metadata").Set("ownerReferences", OwnerReferences(pod));
    patch.Set("data", DataJson(data));
    return patch;
  }
  for (const auto& [key, value] : data) {
    if (!value.empty() && existing["data"][key].AsString() != value) {
      patch.Mutable("data").Set(key, value);
    }
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
  map.Mutable("metadata").Set("ownerReferences", OwnerReferences(pod));
  if (!data.empty()) map.Set("data", DataJson(data));
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
