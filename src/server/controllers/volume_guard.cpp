#include "server/controllers/volume_guard.h"

#include "kube/object.h"
#include "server/controllers/finalizers.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/pod/pod_spec.h"
#include "server/model/storages.h"

namespace coppice::server {
namespace {

constexpr std::string_view kVolumes = "/persistentvolumes";

// The claim of a pod's volume; "" if it has none.
std::string ClaimOf(const json::Value& pod, const json::Value& volume) {
  if (volume["ephemeral"].IsObject()) {
    return std::string(kube::Name(pod)) + "-" + volume["name"].ToString();
  }
  return volume["persistentVolumeClaim"]["claimName"].ToString();
}

}  // namespace

VolumeGuard::VolumeGuard(Core& core)
    : core_(core),
      claims_([this](const std::string& key) { return ReleaseClaim(key); }),
      volumes_([this](const std::string& name) { return ReleaseVolume(name); }) {}

void VolumeGuard::Observe(const std::string& storage, const store::Change& change) {
  const json::Value& object = change.current->value();
  if (storage == kClaims && kube::IsDeleting(object)) claims_.Add(change.current->name());
  if (storage == kVolumes && kube::IsDeleting(object)) volumes_.Add(change.current->name());
  if (storage != "/pods" || !(change.deleted || IsOver(object))) return;
  for (const json::Value& volume : object["spec"]["volumes"].Items()) {
    const std::string claim = ClaimOf(object, volume);
    if (!claim.empty()) claims_.Add(std::string(kube::Namespace(object)) + "/" + claim);
  }
}

bool VolumeGuard::IsUsed(const std::string& ns, std::string_view claim) const {
  const auto pods = core_.store().List("/pods", {ns + "/"});
  if (!pods) return true;
  for (const store::VersionPtr& pod : pods->items) {
    // A pod that no node has yet does not hold on to it.
    const bool runs = !pod->value()["spec"]["nodeName"].AsString().empty();
    if (!runs || IsOver(pod->value())) continue;
    for (const json::Value& volume : pod->value()["spec"]["volumes"].Items()) {
      if (ClaimOf(pod->value(), volume) == claim) return true;
    }
  }
  return false;
}

bool VolumeGuard::ReleaseClaim(const std::string& key) {
  const store::VersionPtr found = core_.store().Get(kClaims, key);
  if (!found || !kube::IsDeleting(found->value())) return true;
  if (!kube::HasFinalizer(found->value(), kClaimProtection)) return true;
  const std::string ns(kube::Namespace(found->value()));
  if (IsUsed(ns, kube::Name(found->value()))) return true;
  return RemoveFinalizer(core_, found->value(), kClaimProtection, "pvc-protection-controller");
}

bool VolumeGuard::ReleaseVolume(const std::string& name) {
  const store::VersionPtr found = core_.store().Get(kVolumes, name);
  if (!found || !kube::IsDeleting(found->value())) return true;
  if (!kube::HasFinalizer(found->value(), kVolumeProtection)) return true;
  if (found->value()["status"]["phase"].AsString() == "Bound") return true;
  return RemoveFinalizer(core_, found->value(), kVolumeProtection, "pv-protection-controller");
}

void VolumeGuard::Start(kube::Executor& executor) {
  claims_.Start(executor);
  volumes_.Start(executor);
}

void VolumeGuard::Stop() {
  claims_.Stop();
  volumes_.Stop();
}

}  // namespace coppice::server
