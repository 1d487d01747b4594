#include "engine/model/volumes.h"

#include <algorithm>

namespace coppice::engine {
namespace {

std::string_view ModeOf(const std::string& mode) { return mode.empty() ? "Filesystem" : mode; }

bool HasModes(const PersistentVolumeSpec& volume, const PersistentVolumeClaimSpec& claim) {
  return std::all_of(claim.access_modes.begin(), claim.access_modes.end(), [&](const auto& mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
           volume.access_modes.end();
  });
}

}  // namespace

bool IsKeptFor(const PersistentVolumeSpec& volume, const PersistentVolumeClaimSpec& claim) {
  return !volume.claim_name.empty() && volume.claim_name == claim.name &&
         volume.claim_namespace == claim.namespace_name &&
         (volume.claim_uid.empty() || volume.claim_uid == claim.uid);
}

bool Satisfies(const PersistentVolumeSpec& volume, const PersistentVolumeClaimSpec& claim) {
  if (volume.storage_class != claim.storage_class || volume.bytes < claim.bytes ||
      ModeOf(volume.mode) != ModeOf(claim.mode) ||
      volume.attributes_class != claim.attributes_class || volume.deleted) {
    return false;
  }
  if (!volume.claim_name.empty()) return IsKeptFor(volume, claim);
  return volume.available && HasModes(volume, claim) &&
         (!claim.selector || Matches(*claim.selector, volume.labels));
}

}  // namespace coppice::engine
