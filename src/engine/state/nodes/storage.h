#pragma once

#include <map>
#include <string>
#include <utility>

#include "engine/model/volumes.h"

namespace coppice::engine {

// Storage objects of the cluster, by name.
struct Storage {
  using Key = std::pair<std::string, std::string>;  // Namespace, name.
  std::map<Key, PersistentVolumeClaimSpec> claims;
  std::map<std::string, PersistentVolumeSpec> volumes;
  std::map<std::string, StorageClassSpec> classes;
  std::map<std::string, CsiDriverSpec> drivers;
  std::map<Key, CsiStorageCapacitySpec> capacities;
};

}  // namespace coppice::engine
