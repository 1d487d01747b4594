#pragma once

#include <string_view>
#include <type_traits>

#include "engine/engine.h"
#include "engine/inputs/ledger.h"

// The engine's deltas under one name, chosen by the type of the object: for code that passes on
// objects of any kind.

namespace coppice::engine {

inline void Put(Engine& engine, const NodeSpec& spec) { engine.PutNode(spec); }
inline void Put(Engine& engine, const PodSpec& spec) { engine.PutPod(spec); }
inline void Put(Engine& engine, const PodGroupSpec& spec) { engine.PutPodGroup(spec); }
inline void Put(Engine& engine, const QueueSpec& spec) { engine.PutQueue(spec); }
inline void Put(Engine& engine, const TopologySpec& spec) { engine.PutTopology(spec); }
inline void Put(Engine& engine, const ConfigMapSpec& spec) {
  engine.PutConfigMap(spec.namespace_name, spec.name);
}
inline void Put(Engine& engine, const NamespaceSpec& spec) {
  engine.PutNamespace(spec.name, spec.labels);
}
inline void Put(Engine& engine, const DeviceClassSpec& spec) { engine.PutDeviceClass(spec); }
inline void Put(Engine& engine, const ResourceSliceSpec& spec) { engine.PutResourceSlice(spec); }
inline void Put(Engine& engine, const ResourceClaimSpec& spec) { engine.PutResourceClaim(spec); }
inline void Put(Engine& engine, const PersistentVolumeClaimSpec& spec) {
  engine.PutVolumeClaim(spec);
}
inline void Put(Engine& engine, const PersistentVolumeSpec& spec) { engine.PutVolume(spec); }
inline void Put(Engine& engine, const StorageClassSpec& spec) { engine.PutStorageClass(spec); }
inline void Put(Engine& engine, const CsiDriverSpec& spec) { engine.PutCsiDriver(spec); }
inline void Put(Engine& engine, const CsiStorageCapacitySpec& spec) {
  engine.PutStorageCapacity(spec);
}

template <typename Spec>
void Remove(Engine& engine, std::string_view namespace_name, std::string_view name) {
  if constexpr (std::is_same_v<Spec, NodeSpec>) engine.RemoveNode(name);
  if constexpr (std::is_same_v<Spec, PodSpec>) engine.RemovePod(name);  // By uid.
  if constexpr (std::is_same_v<Spec, QueueSpec>) engine.RemoveQueue(name);
  if constexpr (std::is_same_v<Spec, TopologySpec>) engine.RemoveTopology(name);
  if constexpr (std::is_same_v<Spec, NamespaceSpec>) engine.RemoveNamespace(name);
  if constexpr (std::is_same_v<Spec, DeviceClassSpec>) engine.RemoveDeviceClass(name);
  if constexpr (std::is_same_v<Spec, ResourceSliceSpec>) engine.RemoveResourceSlice(name);
  if constexpr (std::is_same_v<Spec, PersistentVolumeSpec>) engine.RemoveVolume(name);
  if constexpr (std::is_same_v<Spec, StorageClassSpec>) engine.RemoveStorageClass(name);
  if constexpr (std::is_same_v<Spec, CsiDriverSpec>) engine.RemoveCsiDriver(name);
  if constexpr (std::is_same_v<Spec, PodGroupSpec>) engine.RemovePodGroup(namespace_name, name);
  if constexpr (std::is_same_v<Spec, ConfigMapSpec>) engine.RemoveConfigMap(namespace_name, name);
  if constexpr (std::is_same_v<Spec, ResourceClaimSpec>) {
    engine.RemoveResourceClaim(namespace_name, name);
  }
  if constexpr (std::is_same_v<Spec, PersistentVolumeClaimSpec>) {
    engine.RemoveVolumeClaim(namespace_name, name);
  }
  if constexpr (std::is_same_v<Spec, CsiStorageCapacitySpec>) {
    engine.RemoveStorageCapacity(namespace_name, name);
  }
}

}  // namespace coppice::engine
