#include "kube/object_set.h"

#include "kube/object.h"

namespace coppice::kube {

ObjectSet::Slot::Slot(PackedObject object)
    : object_(std::move(object)),
      ns_(kube::Namespace(object_.base)),
      name_(object_.leaves.IsNull() ? kube::Name(object_.base)
                                    : object_.leaves.At(PackedObject::kName).AsString()) {}

const ObjectSet::Slot* ObjectSet::Find(KeyView key) const {
  const auto found = slots_.find(key);
  return found == slots_.end() ? nullptr : &*found;
}

const ObjectSet::Slot& ObjectSet::Put(json::Value object) {
  Slot fresh(packer_ ? packer_->Pack(std::move(object)) : PackedObject{std::move(object), {}});
  const auto place = slots_.lower_bound(fresh.key());
  if (place == slots_.end() || place->key() != fresh.key()) {
    return *slots_.insert(place, std::move(fresh));
  }
  // The views first point into the new object, then the old one goes.
  place->ns_ = fresh.ns_;
  place->name_ = fresh.name_;
  std::swap(place->object_, fresh.object_);
  return *place;
}

}  // namespace coppice::kube
