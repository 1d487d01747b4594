#pragma once

#include "engine/model/volumes.h"
#include "json/value.h"

// Storage objects in the engine's form.
namespace coppice::services::scheduler {

engine::PersistentVolumeClaimSpec ReadVolumeClaim(const json::Value& claim);
engine::PersistentVolumeSpec ReadVolume(const json::Value& volume);
engine::StorageClassSpec ReadStorageClass(const json::Value& storage_class);
engine::CsiDriverSpec ReadCsiDriver(const json::Value& driver);
engine::CsiStorageCapacitySpec ReadStorageCapacity(const json::Value& capacity);

}  // namespace coppice::services::scheduler
