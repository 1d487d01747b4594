#include "kube/cache/index.h"

#include "kube/object.h"

namespace coppice::kube {

std::vector<std::string> OwnerUids(const json::Value& object) {
  std::vector<std::string> uids;
  for (const view::meta::OwnerReference reference : Metadata(object).ownerReferences()) {
    uids.emplace_back(reference.uid());
  }
  return uids;
}

void AddOwnerIndex(Informer& informer) { informer.AddIndex(std::string(kOwnerIndex), OwnerUids); }

std::vector<json::Value> OwnedBy(const Informer& informer, std::string_view owner_uid) {
  return informer.ByIndex(kOwnerIndex, owner_uid);
}

}  // namespace coppice::kube
