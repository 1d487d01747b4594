#pragma once

#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kube/cache/cache.h"
#include "kube/cache/indexed_objects.h"
#include "kube/cache/own_writes.h"

namespace coppice::kube {

// The objects of one informer: what its watch delivered, and over it what this process has written
// since. Reads show both. Thread-safe, but only one thread at a time may pass on what the watch
// delivers; that reports the changes, in order, and they do not include own writes.
class ObjectStore {
 public:
  // A packed store needs less memory and more time (packed_object.h).
  explicit ObjectStore(bool packed = false) : seen_(packed) {}

  std::optional<json::Value> Get(const ObjectKey& key) const;
  std::vector<json::Value> List(std::string_view ns) const;
  std::vector<json::Value> ByIndex(std::string_view index, std::string_view value) const;
  size_t size() const;
  void AddIndex(std::string name, const Informer::IndexFunction& function);
  // All objects as the watch delivered them.
  std::vector<json::Value> ListSeen() const;

  // Events as a watch brings them, with the version that it has reached. An object with another uid
  // than the known one was deleted and recreated in between; one with the same resource version is
  // no change.
  std::vector<Change> Apply(std::vector<WatchEvent> events, std::string_view version,
                            base::Instant now);
  // Replaces what the watch delivered with `fresh`, a new list, and reports changes in batches:
  // changes for a hundred thousand objects at once would be as large as the store.
  using Tell = std::function<void(const std::vector<Change>& changes)>;
  void Replace(ObjectSet fresh, std::string_view version, const Tell& tell);

  // Own writes (own_writes.h). Whether the watch has not delivered this version yet.
  bool IsNew(std::string_view version) const;
  // The object as it was put, if this process has written this version of it.
  std::optional<json::Value> Written(const json::Value& object) const;
  void Put(json::Value written, base::Instant now);
  // With `uid`, only the object that has it.
  void Delete(const ObjectKey& key, const std::optional<std::string>& uid,
              const OwnWrites::Deletion& deletion, base::Instant now);

 private:
  const ObjectSet::Slot* FindLocked(const ObjectKey& key) const;
  std::vector<json::Value> ByIndexLocked(std::string_view index, std::string_view value) const;
  void Adopt(ObjectSet fresh, uint64_t version, const Tell& tell);
  void UpsertLocked(json::Value object, std::vector<Change>& changes);
  void DeleteLocked(const ObjectSet::Slot& slot, json::Value last, bool final_state_unknown,
                    std::vector<Change>& changes);
  std::vector<json::Value> UnseenLocked() const;
  void AddVanishedLocked(const std::vector<json::Value>& unseen,
                         std::vector<Change>& changes) const;
  void DeleteMissingLocked(const ObjectSet& fresh, std::vector<Change>& changes);

  mutable std::shared_mutex mutex_;  // Guards all below.
  IndexedObjects seen_;
  mutable OwnWrites own_;  // Reads index it when they need to.
};

}  // namespace coppice::kube
