#include "api/well_known.h"
#include "services/common/served.h"
#include "services/scheduler/feed.h"
#include "services/scheduler/read/devices.h"
#include "services/scheduler/read/storage.h"

// Sources that not every cluster has.
namespace coppice::services::scheduler {

void Feed::AddDeviceSources() {
  if (!IsServed(runtime_.client, api::kResourceClaims)) return;
  AddSource(api::kDeviceClasses, [this](const auto& key, const auto& object) {
    object ? engine_.PutDeviceClass(ReadDeviceClass(*object)) : engine_.RemoveDeviceClass(key.name);
  });
  AddSource(api::kResourceSlices, [this](const auto& key, const auto& object) {
    object ? engine_.PutResourceSlice(ReadResourceSlice(*object))
           : engine_.RemoveResourceSlice(key.name);
  });
  AddSource(api::kResourceClaims, [this](const auto& key, const auto& object) {
    object ? engine_.PutResourceClaim(ReadResourceClaim(*object))
           : engine_.RemoveResourceClaim(key.ns, key.name);
  });
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
  if (!options_.configuration.schedule_csi_storage) return;
  AddSource(api::kCsiDrivers, [this](const auto& key, const auto& object) {
    object ? engine_.PutCsiDriver(ReadCsiDriver(*object)) : engine_.RemoveCsiDriver(key.name);
  });
  AddSource(api::kCsiStorageCapacities, [this](const auto& key, const auto& object) {
    object ? engine_.PutStorageCapacity(ReadStorageCapacity(*object))
           : engine_.RemoveStorageCapacity(key.ns, key.name);
  });
}

}  // namespace coppice::services::scheduler
