#include "api/edit/core.h"
#include "api/key/kaifiles.h"
#include "api/view/core.h"
#include "api/view/resource.h"
#include "api/well_known.h"
#include "services/common/served.h"
#include "services/scheduler/feed/feed.h"
#include "services/scheduler/feed/pod_cache.h"
#include "services/scheduler/read/devices.h"
#include "services/scheduler/read/numa.h"
#include "services/scheduler/read/storage.h"

// Sources that not every cluster has, and what all sources hold.
namespace coppice::services::scheduler {
namespace {

struct ListName {
  const api::Resource* resource;
  std::string_view name;
  bool of_shard = false;
};

using List = key::kaifiles::RawObjects;

const ListName kListNames[] = {
    {&api::kPods, List::pods},
    {&api::kNodes, List::nodes, true},
    {&api::kQueues, List::queues, true},
    {&api::kPodGroups, List::podGroups, true},
    {&api::kBindRequests, List::bindRequests},
    {&api::kPriorityClasses, List::priorityClasses},
    {&api::kConfigMaps, List::configMaps},
    {&api::kPersistentVolumes, List::persistentVolumes},
    {&api::kPersistentVolumeClaims, List::persistentVolumeClaims},
    {&api::kCsiStorageCapacities, List::csiStorageCapacities},
    {&api::kStorageClasses, List::storageClasses},
    {&api::kCsiDrivers, List::csiDrivers},
    {&api::kResourceClaims, List::resourceClaims},
    {&api::kResourceSlices, List::resourceSlices},
    {&api::kDeviceClasses, List::deviceClasses},
    {&api::kTopologies, List::topologies},
    {&kNodeResourceTopologies, List::nodeResourceTopologies},
};

// ConfigMaps hold other people's data; only that they exist matters.
json::Value ForSnapshot(const json::Value& object, const api::Resource& resource) {
  if (resource == api::kPods) return StripPod(object);
  if (resource != api::kConfigMaps) return object;
  json::Value bare = object;
  edit::core::ConfigMap(bare).clear_data();
  edit::core::ConfigMap(bare).clear_binaryData();
  return bare;
}

bool IsAllocated(view::resource::ResourceClaimStatus claim) {
  return !claim.allocation().Json().empty();
}

}  // namespace

json::Value Feed::Objects() const {
  json::Value out = json::Value::Object();
  for (const ListName& list : kListNames) {
    json::Value items = json::Value::Array();
    for (const Source& source : sources_) {
      if (source.informer.resource() != *list.resource) continue;
      for (const json::Value& object : source.informer.List()) {
        if (list.of_shard && !partition_.Contains(object)) continue;
        if (*list.resource == api::kPods && view::core::Pod(object).status().phase() == "Failed") {
          continue;
        }
        items.Append(ForSnapshot(object, *list.resource));
      }
    }
    out.Set(list.name, std::move(items));
  }
  return out;
}

base::Status Feed::AddDeviceSources() {
  COPPICE_ASSIGN(const bool served, IsServed(runtime_.client, api::kResourceClaims));
  if (!served) return {};
  AddSource(api::kDeviceClasses, [this](const auto& key, const auto& object) {
    object ? engine_.PutDeviceClass(ReadDeviceClass(*object)) : engine_.RemoveDeviceClass(key.name);
  });
  AddSource(api::kResourceSlices, [this](const auto& key, const auto& object) {
    object ? engine_.PutResourceSlice(ReadResourceSlice(*object))
           : engine_.RemoveResourceSlice(key.name);
  });
  AddSource(api::kResourceClaims,
            [this](const auto& key, const auto& object) { ApplyClaim(key, object); });
  return {};
}

void Feed::ApplyClaim(const api::ObjectKey& key, const std::optional<json::Value>& object) {
  if (!object) return engine_.RemoveResourceClaim(key.ns, key.name);
  engine_.PutResourceClaim(ReadResourceClaim(*object));
  const auto status = view::resource::ResourceClaim(*object).status();
  if (!IsAllocated(status)) return;
  for (const auto user : status.reservedFor()) {
    assumptions_.ForgetAllocated(std::string(user.uid()));
  }
}

// Devices are free when their claims say so, not when the pod is gone. If the cache of claims has
// never shown the pod's allocation, read it from the API.
bool Feed::LeavesDevices(const api::ObjectKey& pod, const std::string& uid) {
  const Assumptions::Devices devices = assumptions_.Allocated(uid);
  if (devices.claims.empty() && !devices.extended) return false;
  return Answer({uid, pods_, pod, [this, pod, uid] { return HoldsDevices(pod, uid); }})
      .value_or(true);
}

bool Feed::HoldsDevices(const api::ObjectKey& pod, std::string_view uid) {
  const auto claims = runtime_.client.List(api::kResourceClaims, {.ns = pod.ns});
  bool held = !claims;
  for (const json::Value& claim : claims ? claims->items : std::vector<json::Value>()) {
    const auto status = view::resource::ResourceClaim(claim).status();
    for (const auto user : status.reservedFor()) held |= user.uid() == uid && IsAllocated(status);
  }
  if (held) scope_.PostAfter(options_.schedule_period, [this, pod] { MarkPod(pod); });
  return held;
}

void Feed::AddStorageSources() {
  AddSource(api::kPersistentVolumeClaims, [this](const auto& key, const auto& object) {
    object ? engine_.PutVolumeClaim(ReadVolumeClaim(*object))
           : engine_.RemoveVolumeClaim(key.ns, key.name);
  });
  AddSource(api::kPersistentVolumes, [this](const auto& key, const auto& object) {
    object ? engine_.PutVolume(ReadVolume(*object)) : engine_.RemoveVolume(key.name);
  });
  AddSource(api::kStorageClasses, [this](const auto& key, const auto& object) {
    object ? engine_.PutStorageClass(ReadStorageClass(*object))
           : engine_.RemoveStorageClass(key.name);
  });
  AddSource(api::kCsiDrivers, [this](const auto& key, const auto& object) {
    object ? engine_.PutCsiDriver(ReadCsiDriver(*object)) : engine_.RemoveCsiDriver(key.name);
  });
  AddSource(api::kCsiStorageCapacities, [this](const auto& key, const auto& object) {
    object ? engine_.PutStorageCapacity(ReadStorageCapacity(*object))
           : engine_.RemoveStorageCapacity(key.ns, key.name);
  });
}

}  // namespace coppice::services::scheduler
