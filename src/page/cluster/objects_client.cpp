#include "page/cluster/objects_client.h"

#include <fmt/format.h>

#include "api/edit/any.h"
#include "api/edit/apidiscovery.h"
#include "api/key/kaifiles.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "page/cluster/idle_watch.h"
#include "services/scheduler/read/numa.h"

namespace coppice::page {
namespace {

base::Error OnlyReads() {
  return base::Error(base::ErrorCode::kMethodNotAllowed, "a snapshot cannot be changed");
}

}  // namespace

ObjectsClient::ObjectsClient(Objects objects, kube::Executor& executor)
    : objects_(std::move(objects)), scope_(executor) {
  for (auto& [resource, items] : objects_) {
    for (json::Value& item : items) {
      edit::any::Object(item).set_apiVersion(resource.ApiVersion()).set_kind(resource.kind);
    }
  }
}

base::Result<json::Value> ObjectsClient::Get(const kube::Resource& resource,
                                             const kube::ObjectKey& key, const kube::GetOptions&) {
  const auto found = objects_.find(resource);
  if (found != objects_.end()) {
    for (const json::Value& item : found->second) {
      if (kube::KeyOf(item) == key) return item;
    }
  }
  return base::NotFound(
      fmt::format("the snapshot has no {} \"{}\"", resource.QualifiedName(), key.ToString()));
}

base::Result<kube::ObjectList> ObjectsClient::List(const kube::Resource& resource,
                                                   const kube::ListOptions& options) {
  const auto found = objects_.find(resource);
  if (found == objects_.end()) {
    return base::NotFound("a snapshot holds no " + resource.QualifiedName());
  }
  kube::ObjectList list;
  list.resource_version = "1";
  for (const json::Value& item : found->second) {
    if (options.ns.empty() || kube::Namespace(item) == options.ns) list.items.push_back(item);
  }
  return list;
}

base::Result<std::unique_ptr<kube::Watch>> ObjectsClient::StartWatch(const kube::Resource&,
                                                                     const kube::WatchOptions&,
                                                                     kube::WatchSink& sink) {
  return MakeIdleWatch(sink, scope_, base::Duration::zero());
}

base::Result<json::Value> ObjectsClient::Create(const kube::Resource&, const json::Value&,
                                                const kube::WriteOptions&) {
  return OnlyReads();
}
base::Result<json::Value> ObjectsClient::Update(const kube::Resource&, const json::Value&,
                                                const kube::WriteOptions&) {
  return OnlyReads();
}
base::Result<json::Value> ObjectsClient::Patch(const kube::Resource&, const kube::ObjectKey&,
                                               kube::PatchType, const json::Value&,
                                               const kube::WriteOptions&) {
  return OnlyReads();
}
base::Status ObjectsClient::Delete(const kube::Resource&, const kube::ObjectKey&,
                                   const kube::DeleteOptions&) {
  return OnlyReads();
}
base::Status ObjectsClient::DeleteCollection(const kube::Resource&, const kube::ListOptions&,
                                             const kube::DeleteOptions&) {
  return OnlyReads();
}

base::Result<json::Value> ObjectsClient::GetPath(std::string_view path) {
  json::Value out;
  const edit::apidiscovery::APIResourceList list(out);
  list.set_resources(json::Value::Array());
  bool served = false;
  for (const auto& [resource, items] : objects_) {
    const std::string prefix = resource.group.empty() ? "/api/" : "/apis/";
    if (path != prefix + resource.ApiVersion()) continue;
    served = true;
    list.set_groupVersion(resource.ApiVersion());
    list.add_resources().set_name(resource.plural).set_kind(resource.kind);
  }
  if (!served) return base::NotFound(fmt::format("a snapshot does not serve {}", path));
  return out;
}

ObjectsClient::Objects ObjectsOf(const services::scheduler::Snapshot& snapshot) {
  using Key = key::kaifiles::RawObjects;
  static const std::pair<std::string_view, const api::Resource*> kLists[] = {
      {Key::pods, &api::kPods},
      {Key::nodes, &api::kNodes},
      {Key::queues, &api::kQueues},
      {Key::podGroups, &api::kPodGroups},
      {Key::bindRequests, &api::kBindRequests},
      {Key::priorityClasses, &api::kPriorityClasses},
      {Key::configMaps, &api::kConfigMaps},
      {Key::persistentVolumes, &api::kPersistentVolumes},
      {Key::persistentVolumeClaims, &api::kPersistentVolumeClaims},
      {Key::csiStorageCapacities, &api::kCsiStorageCapacities},
      {Key::storageClasses, &api::kStorageClasses},
      {Key::csiDrivers, &api::kCsiDrivers},
      {Key::topologies, &api::kTopologies},
      {Key::nodeResourceTopologies, &services::scheduler::kNodeResourceTopologies},
      {Key::resourceClaims, &api::kResourceClaims},
      {Key::resourceSlices, &api::kResourceSlices},
      {Key::deviceClasses, &api::kDeviceClasses},
  };
  ObjectsClient::Objects objects;
  for (const auto& [list, resource] : kLists) {
    std::vector<json::Value>& items = objects[*resource];
    for (const json::Value& item : snapshot.objects[list].Items()) items.push_back(item);
  }
  return objects;
}

}  // namespace coppice::page
