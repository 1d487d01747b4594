#include "kube/index.h"

#include "kube/object.h"

namespace coppice::kube {

std::vector<std::string> OwnerUids(const json::Value& object) {
  std::vector<std::string> uids;
  for (const json::Value& reference : object["metadata"]["ownerReferences"].Items()) {
    uids.push_back(reference["uid"].ToString());
  }
  return uids;
}

void AddOwnerIndex(Informer& informer) { informer.AddIndex(std::string(kOwnerIndex), OwnerUids); }

std::vector<json::Value> OwnedBy(const Informer& informer, std::string_view owner_uid) {
  return informer.ByIndex(kOwnerIndex, owner_uid);
}

Informer::IndexFunction LabelIndex(std::string label) {
  return [label = std::move(label)](const json::Value& object) {
    const json::Value* value = object["metadata"]["labels"].Find(label);
    return value != nullptr ? std::vector{value->ToString()} : std::vector<std::string>();
  };
}

}  // namespace coppice::kube
