#include "backends/workload/upgrade.h"

#include "backends/workload/api_choice.h"
#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;

std::vector<api::Resource> KindsOf(const std::string& version) {
  if (version == "v1alpha1") return {Workloads(version)};
  return {PodGroups(version), Workloads(version)};
}

base::Status ForEachOfOurs(
    kube::Client& client, const std::string& version,
    const std::function<base::Status(const api::Resource&, const Value&)>& f) {
  for (const api::Resource& resource : KindsOf(version)) {
    const auto list = client.List(resource);
    if (list.Is(base::ErrorCode::kNotFound)) continue;
    if (!list) return list.error().During("listing " + resource.QualifiedName());
    for (const Value& object : list->items) {
      if (kube::Kind(kube::ControllerOwner(object)) != "PodGang") continue;
      COPPICE_TRY(f(resource, object));
    }
  }
  return {};
}

}  // namespace

base::Result<std::vector<Value>> ObjectsOfVersion(kube::Client& client,
                                                  const std::string& version) {
  std::vector<Value> objects;
  COPPICE_TRY(ForEachOfOurs(client, version, [&](const api::Resource&, const Value& object) {
    objects.push_back(object);
    return base::Status();
  }));
  return objects;
}

base::Result<int> DeleteObjectsOfVersion(kube::Client& client, const std::string& version) {
  int deleted = 0;
  COPPICE_TRY(ForEachOfOurs(
      client, version, [&](const api::Resource& resource, const Value& object) -> base::Status {
        const auto gone =
            client.Delete(resource, kube::KeyOf(object), {.uid = std::string(kube::Uid(object))});
        if (!gone && !gone.Is(base::ErrorCode::kNotFound)) return gone.error();
        ++deleted;
        return {};
      }));
  return deleted;
}

}  // namespace coppice::backends::workload
