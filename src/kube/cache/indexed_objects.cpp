#include "kube/cache/indexed_objects.h"

#include <algorithm>
#include <utility>

#include "kube/object.h"

namespace coppice::kube {
namespace {

using Values = std::vector<std::string>;

Values IndexValues(const Informer::IndexFunction& function, const json::Value& object) {
  return object.IsNull() ? Values() : function(object);
}

}  // namespace

const IndexedObjects::Matches& IndexedObjects::ByIndex(std::string_view index,
                                                       std::string_view value) const {
  static const Matches kNone;
  const auto known = indexes_.find(index);
  if (known == indexes_.end()) return kNone;
  const auto matches = known->second.values.find(value);
  return matches == known->second.values.end() ? kNone : matches->second;
}

void IndexedObjects::AddIndex(std::string name, Informer::IndexFunction function) {
  IndexAll();
  const auto [index, added] = indexes_.try_emplace(std::move(name));
  if (!added) return;
  index->second.function = std::move(function);
  for (const ObjectSet::Slot& slot : objects_) {
    for (std::string& value : index->second.function(slot.object())) {
      Insert(slot, index->second.values[std::move(value)]);
    }
  }
}

void IndexedObjects::Put(const json::Value& before, const json::Value& object) {
  Reindex(objects_.Put(object), before, object);
}

const ObjectSet::Slot& IndexedObjects::PutUnindexed(const json::Value& object) {
  const ObjectSet::Slot* known = objects_.Find({Namespace(object), Name(object)});
  if (known != nullptr && !unindexed_.contains(known)) Reindex(*known, known->object(), {});
  const ObjectSet::Slot& slot = objects_.Put(object);
  unindexed_.insert(&slot);
  return slot;
}

void IndexedObjects::IndexAll() {
  for (const ObjectSet::Slot* slot : unindexed_) Reindex(*slot, {}, slot->object());
  unindexed_.clear();
}

void IndexedObjects::Erase(const ObjectSet::Slot& slot) {
  if (unindexed_.erase(&slot) == 0) Reindex(slot, slot.object(), {});
  objects_.Erase(slot);
}

void IndexedObjects::Adopt(ObjectSet objects) {
  unindexed_.clear();
  for (auto& [name, index] : indexes_) index.values.clear();
  objects_ = std::move(objects);
  for (const ObjectSet::Slot& slot : objects_) Reindex(slot, {}, slot.object());
}

IndexedObjects::Matches::iterator IndexedObjects::PlaceOf(const ObjectSet::Slot& slot,
                                                          Matches& matches) {
  return std::lower_bound(
      matches.begin(), matches.end(), &slot,
      [](const ObjectSet::Slot* a, const ObjectSet::Slot* b) { return a->key() < b->key(); });
}

void IndexedObjects::Insert(const ObjectSet::Slot& slot, Matches& matches) {
  const auto place = PlaceOf(slot, matches);
  if (place == matches.end() || *place != &slot) matches.insert(place, &slot);
}

void IndexedObjects::Remove(const ObjectSet::Slot& slot, Matches& matches) {
  const auto place = PlaceOf(slot, matches);
  if (place != matches.end() && *place == &slot) matches.erase(place);
}

void IndexedObjects::Reindex(const ObjectSet::Slot& slot, const json::Value& before,
                             const json::Value& after) {
  for (auto& [name, index] : indexes_) {
    const Values old_values = IndexValues(index.function, before);
    const Values new_values = IndexValues(index.function, after);
    if (old_values == new_values) continue;
    for (const std::string& value : old_values) {
      const auto matches = index.values.find(value);
      if (matches == index.values.end()) continue;
      Remove(slot, matches->second);
      if (matches->second.empty()) index.values.erase(matches);
    }
    for (const std::string& value : new_values) Insert(slot, index.values[value]);
  }
}

}  // namespace coppice::kube
