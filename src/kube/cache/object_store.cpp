#include "kube/cache/object_store.h"

#include <algorithm>
#include <mutex>

#include "kube/object.h"

namespace coppice::kube {
namespace {

constexpr size_t kPortion = 256;

// Both in key order; of two objects with the same key, the one of `over`.
IndexedObjects::Matches Merged(const IndexedObjects::Matches& under,
                               const IndexedObjects::Matches& over,
                               const IndexedObjects& all_over) {
  IndexedObjects::Matches merged;
  merged.reserve(under.size() + over.size());
  auto next = over.begin();
  for (const ObjectSet::Slot* slot : under) {
    while (next != over.end() && (*next)->key() < slot->key()) merged.push_back(*next++);
    if (all_over.Find(slot->key()) == nullptr) merged.push_back(slot);
  }
  merged.insert(merged.end(), next, over.end());
  return merged;
}

IndexedObjects::Matches InNamespace(const ObjectSet& objects, std::string_view ns) {
  IndexedObjects::Matches found;
  if (ns.empty()) found.reserve(objects.size());
  for (auto slot = objects.Namespace(ns); slot != objects.end(); ++slot) {
    if (!ns.empty() && slot->key().ns != ns) break;
    found.push_back(&*slot);
  }
  return found;
}

std::vector<json::Value> ObjectsOf(const IndexedObjects::Matches& slots) {
  std::vector<json::Value> objects;
  objects.reserve(slots.size());
  for (const ObjectSet::Slot* slot : slots) objects.push_back(slot->object());
  return objects;
}

}  // namespace

const ObjectSet::Slot* ObjectStore::FindLocked(const ObjectKey& key) const {
  if (!own_.empty()) {
    if (const ObjectSet::Slot* written = own_.objects().Find(key)) return written;
  }
  return seen_.Find(key);
}

std::optional<json::Value> ObjectStore::Get(const ObjectKey& key) const {
  std::shared_lock lock(mutex_);
  const ObjectSet::Slot* slot = FindLocked(key);
  if (slot == nullptr) return std::nullopt;
  return slot->object();
}

std::vector<json::Value> ObjectStore::List(std::string_view ns) const {
  std::shared_lock lock(mutex_);
  const IndexedObjects::Matches seen = InNamespace(seen_.objects(), ns);
  if (own_.empty()) return ObjectsOf(seen);
  return ObjectsOf(Merged(seen, InNamespace(own_.objects().objects(), ns), own_.objects()));
}

std::vector<json::Value> ObjectStore::ListSeen() const {
  std::shared_lock lock(mutex_);
  return ObjectsOf(InNamespace(seen_.objects(), ""));
}

std::vector<json::Value> ObjectStore::ByIndex(std::string_view index,
                                              std::string_view value) const {
  {
    std::shared_lock lock(mutex_);
    if (own_.objects().all_indexed()) return ByIndexLocked(index, value);
  }
  std::unique_lock lock(mutex_);
  own_.IndexAll();
  return ByIndexLocked(index, value);
}

std::vector<json::Value> ObjectStore::ByIndexLocked(std::string_view index,
                                                    std::string_view value) const {
  const IndexedObjects::Matches& seen = seen_.ByIndex(index, value);
  if (own_.empty()) return ObjectsOf(seen);
  return ObjectsOf(Merged(seen, own_.objects().ByIndex(index, value), own_.objects()));
}

size_t ObjectStore::size() const {
  std::shared_lock lock(mutex_);
  size_t size = seen_.objects().size();
  for (const ObjectSet::Slot& slot : own_.objects().objects()) {
    if (seen_.Find(slot.key()) == nullptr) ++size;
  }
  return size;
}

void ObjectStore::AddIndex(std::string name, const Informer::IndexFunction& function) {
  std::unique_lock lock(mutex_);
  own_.AddIndex(name, function);
  seen_.AddIndex(std::move(name), function);
}

std::vector<Change> ObjectStore::Apply(std::vector<WatchEvent> events, std::string_view version,
                                       base::Instant now) {
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
    const ObjectSet::Slot* slot = seen_.Find(key);
    if (slot != nullptr) DeleteLocked(*slot, std::move(event.object), false, changes);
  }
  own_.Advance(VersionNumber(version), changes, seen_, now);
  return changes;
}

void ObjectStore::Replace(ObjectSet fresh, std::string_view version, const Tell& tell) {
  const uint64_t number = VersionNumber(version);
  if (seen_.empty()) return Adopt(std::move(fresh), number, tell);  // There is no other writer.
  std::vector<Change> changes;
  {
    std::unique_lock lock(mutex_);
    const std::vector<json::Value> unseen = UnseenLocked();
    DeleteMissingLocked(fresh, changes);
    for (const ObjectSet::Slot& slot : fresh) UpsertLocked(slot.object(), changes);
    own_.Restart(number, seen_);
    AddVanishedLocked(unseen, changes);
  }
  tell(changes);
}

// The first list becomes the content as it is.
void ObjectStore::Adopt(ObjectSet fresh, uint64_t version, const Tell& tell) {
  std::vector<Change> changes;
  {
    std::unique_lock lock(mutex_);
    const std::vector<json::Value> unseen = UnseenLocked();
    seen_.Adopt(std::move(fresh));
    own_.Restart(version, seen_);
    AddVanishedLocked(unseen, changes);
  }
  for (const ObjectSet::Slot& slot : seen_.objects()) {  // There is no other writer.
    changes.push_back({ChangeType::kAdded, {}, slot.object()});
    if (changes.size() < kPortion) continue;
    tell(changes);
    changes.clear();
  }
  tell(changes);
}

// What this process wrote and the watch has never delivered.
std::vector<json::Value> ObjectStore::UnseenLocked() const {
  std::vector<json::Value> unseen;
  for (const ObjectSet::Slot& slot : own_.objects().objects()) {
    if (seen_.Find(slot.key()) == nullptr) unseen.push_back(slot.object());
  }
  return unseen;
}

// An object that was created and deleted between two lists has no events, but it could be read.
void ObjectStore::AddVanishedLocked(const std::vector<json::Value>& unseen,
                                    std::vector<Change>& changes) const {
  for (const json::Value& object : unseen) {
    if (FindLocked(KeyOf(object)) != nullptr) continue;
    changes.push_back({ChangeType::kDeleted, object, object, true});
  }
}

bool ObjectStore::IsNew(std::string_view version) const {
  std::shared_lock lock(mutex_);
  return own_.IsNew(VersionNumber(version));
}

std::optional<json::Value> ObjectStore::Written(const json::Value& object) const {
  std::shared_lock lock(mutex_);
  return own_.Written(object);
}

void ObjectStore::Put(json::Value written, base::Instant now) {
  std::unique_lock lock(mutex_);
  own_.Put(std::move(written), now);
}

void ObjectStore::Delete(const ObjectKey& key, const std::optional<std::string>& uid,
                         const OwnWrites::Deletion& deletion, base::Instant now) {
  std::unique_lock lock(mutex_);
  const ObjectSet::Slot* slot = FindLocked(key);
  if (slot == nullptr) return;
  const json::Value object = slot->object();
  if (!uid || *uid == Uid(object)) own_.Delete(object, deletion, now);
}

void ObjectStore::DeleteMissingLocked(const ObjectSet& fresh, std::vector<Change>& changes) {
  std::vector<const ObjectSet::Slot*> missing;
  auto next = fresh.begin();
  for (const ObjectSet::Slot& slot : seen_.objects()) {
    while (next != fresh.end() && next->key() < slot.key()) ++next;
    if (next == fresh.end() || next->key() != slot.key()) missing.push_back(&slot);
  }
  for (const ObjectSet::Slot* slot : missing) DeleteLocked(*slot, slot->object(), true, changes);
}

void ObjectStore::UpsertLocked(json::Value object, std::vector<Change>& changes) {
  const ObjectSet::Slot* known = seen_.Find({Namespace(object), Name(object)});
  if (known != nullptr && Uid(known->object()) != Uid(object)) {
    DeleteLocked(*known, known->object(), true, changes);
    known = nullptr;
  }
  const json::Value before = known != nullptr ? known->object() : json::Value();
  if (known != nullptr && ResourceVersion(before) == ResourceVersion(object)) return;
  seen_.Put(before, object);
  const ChangeType type = known != nullptr ? ChangeType::kUpdated : ChangeType::kAdded;
  changes.push_back({type, before, std::move(object)});
}

void ObjectStore::DeleteLocked(const ObjectSet::Slot& slot, json::Value last,
                               bool final_state_unknown, std::vector<Change>& changes) {
  json::Value before = slot.object();
  seen_.Erase(slot);
  changes.push_back(
      {ChangeType::kDeleted, std::move(before), std::move(last), final_state_unknown});
}

}  // namespace coppice::kube
