#include "kube/cache/object_set.h"

#include "kube/object.h"

namespace coppice::kube {

ObjectSet::Slot::Slot(PackedObject object)
    : object_(std::move(object)),
      ns_(kube::Namespace(object_.base)),
      name_(object_.leaves.IsNull() ? kube::Name(object_.base)
                                    : object_.leaves.At(PackedObject::kName).AsString()) {}

size_t ObjectSet::Hash::operator()(KeyView key) const {
  const std::hash<std::string_view> hash;
  return hash(key.ns) * 31 + hash(key.name);
}

const ObjectSet::Slot* ObjectSet::Find(KeyView key) const {
  if (!packer_) {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : *found;
  }
  const auto found = slots_.find(key);
  return found == slots_.end() ? nullptr : &*found;
}

const ObjectSet::Slot& ObjectSet::Put(json::Value object) {
  Slot fresh(packer_ ? packer_->Pack(std::move(object)) : PackedObject{std::move(object), {}});
  const Slot* known = Find(fresh.key());
  if (known == nullptr) {
    const Slot& added = *slots_.insert(std::move(fresh)).first;
    if (!packer_) by_key_.insert(&added);
    return added;
  }
  // The views first point into the new object, then the old one goes.
  known->ns_ = fresh.ns_;
  known->name_ = fresh.name_;
  std::swap(known->object_, fresh.object_);
  return *known;
}

void ObjectSet::Erase(const Slot& slot) {
  by_key_.erase(&slot);
  slots_.erase(slots_.find(slot.key()));
}

}  // namespace coppice::kube
