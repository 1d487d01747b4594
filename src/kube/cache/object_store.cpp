#include "kube/cache/object_store.h"

#include <algorithm>
#include <mutex>

#include "kube/object.h"

namespace coppice::kube {
namespace {

using Values = std::vector<std::string>;

constexpr size_t kPortion = 256;

Values IndexValues(const Informer::IndexFunction& function, const json::Value& object) {
  return object.IsNull() ? Values() : function(object);
}

}  // namespace

std::optional<json::Value> ObjectStore::Get(const ObjectKey& key) const {
  std::shared_lock lock(mutex_);
  const ObjectSet::Slot* slot = objects_.Find(key);
  if (slot == nullptr) return std::nullopt;
  return slot->object();
}

std::vector<json::Value> ObjectStore::List(std::string_view ns) const {
  std::shared_lock lock(mutex_);
  std::vector<json::Value> found;
  if (ns.empty()) found.reserve(objects_.size());
  for (auto slot = objects_.Namespace(ns); slot != objects_.end(); ++slot) {
    if (!ns.empty() && slot->key().ns != ns) break;
    found.push_back(slot->object());
  }
  return found;
}

std::vector<json::Value> ObjectStore::ByIndex(std::string_view index,
                                              std::string_view value) const {
  std::shared_lock lock(mutex_);
  const auto known = indexes_.find(index);
  if (known == indexes_.end()) return {};
  const auto matches = known->second.values.find(std::string(value));
  if (matches == known->second.values.end()) return {};
  std::vector<json::Value> found;
  found.reserve(matches->second.size());
  for (const ObjectSet::Slot* slot : matches->second) found.push_back(slot->object());
  return found;
}

size_t ObjectStore::size() const {
  std::shared_lock lock(mutex_);
  return objects_.size();
}

void ObjectStore::AddIndex(std::string name, Informer::IndexFunction function) {
  std::unique_lock lock(mutex_);
  const auto [index, added] = indexes_.try_emplace(std::move(name));
  if (!added) return;
  index->second.function = std::move(function);
  for (const ObjectSet::Slot& slot : objects_) {
    for (std::string& value : index->second.function(slot.object())) {
      Insert(slot, index->second.values[std::move(value)]);
    }
  }
}

std::vector<Change> ObjectStore::Apply(std::vector<WatchEvent> events) {
  std::unique_lock lock(mutex_);
  std::vector<Change> changes;
  changes.reserve(events.size());
  for (WatchEvent& event : events) {
    if (event.type == EventType::kBookmark || Name(event.object).empty()) continue;
    if (event.type != EventType::kDeleted) {
      UpsertLocked(std::move(event.object), changes);
      continue;
    }
    const KeyView key(Namespace(event.object), Name(event.object));
    const ObjectSet::Slot* slot = objects_.Find(key);
    if (slot != nullptr) DeleteLocked(*slot, std::move(event.object), false, changes);
  }
  return changes;
}

void ObjectStore::Replace(ObjectSet fresh, const Tell& tell) {
  if (size() == 0) return Adopt(std::move(fresh), tell);
  std::vector<Change> changes;
  {
    std::unique_lock lock(mutex_);
    DeleteMissingLocked(fresh, changes);
    for (const ObjectSet::Slot& slot : fresh) UpsertLocked(slot.object(), changes);
  }
  tell(changes);
}

// The first list becomes the content as it is.
void ObjectStore::Adopt(ObjectSet fresh, const Tell& tell) {
  {
    std::unique_lock lock(mutex_);
    objects_ = std::move(fresh);
    for (const ObjectSet::Slot& slot : objects_) Reindex(slot, {}, slot.object());
  }
  std::vector<Change> changes;
  for (const ObjectSet::Slot& slot : objects_) {  // There is no other writer.
    changes.push_back({ChangeType::kAdded, {}, slot.object()});
    if (changes.size() < kPortion) continue;
    tell(changes);
    changes.clear();
  }
  tell(changes);
}

void ObjectStore::DeleteMissingLocked(const ObjectSet& fresh, std::vector<Change>& changes) {
  std::vector<const ObjectSet::Slot*> missing;
  auto next = fresh.begin();
  for (const ObjectSet::Slot& slot : objects_) {
    while (next != fresh.end() && next->key() < slot.key()) ++next;
    if (next == fresh.end() || next->key() != slot.key()) missing.push_back(&slot);
  }
  for (const ObjectSet::Slot* slot : missing) DeleteLocked(*slot, slot->object(), true, changes);
}

void ObjectStore::UpsertLocked(json::Value object, std::vector<Change>& changes) {
  const ObjectSet::Slot* known = objects_.Find({Namespace(object), Name(object)});
  if (known != nullptr && Uid(known->object()) != Uid(object)) {
    DeleteLocked(*known, known->object(), true, changes);
    known = nullptr;
  }
  const json::Value before = known != nullptr ? known->object() : json::Value();
  if (known != nullptr && ResourceVersion(before) == ResourceVersion(object)) return;
  const ObjectSet::Slot& slot = objects_.Put(object);
  Reindex(slot, before, object);
  const ChangeType type = known != nullptr ? ChangeType::kUpdated : ChangeType::kAdded;
  changes.push_back({type, before, std::move(object)});
}

void ObjectStore::DeleteLocked(const ObjectSet::Slot& slot, json::Value last,
                               bool final_state_unknown, std::vector<Change>& changes) {
  json::Value before = slot.object();
  Reindex(slot, before, {});
  objects_.Erase(slot);
  changes.push_back(
      {ChangeType::kDeleted, std::move(before), std::move(last), final_state_unknown});
}

ObjectStore::Matches::iterator ObjectStore::PlaceOf(const ObjectSet::Slot& slot, Matches& matches) {
  return std::lower_bound(
      matches.begin(), matches.end(), &slot,
      [](const ObjectSet::Slot* a, const ObjectSet::Slot* b) { return a->key() < b->key(); });
}

void ObjectStore::Insert(const ObjectSet::Slot& slot, Matches& matches) {
  const auto place = PlaceOf(slot, matches);
  if (place == matches.end() || *place != &slot) matches.insert(place, &slot);
}

void ObjectStore::Remove(const ObjectSet::Slot& slot, Matches& matches) {
  const auto place = PlaceOf(slot, matches);
  if (place != matches.end() && *place == &slot) matches.erase(place);
}

void ObjectStore::Reindex(const ObjectSet::Slot& slot, const json::Value& before,
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
