#pragma once

#include <functional>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kube/cache/cache.h"
#include "kube/cache/object_set.h"

namespace coppice::kube {

// The objects of one informer with their indexes. Reading is thread-safe; only one thread at a time
// may write; writing reports the changes, in order.
class ObjectStore {
 public:
  // A packed store needs less memory and more time (packed_object.h).
  explicit ObjectStore(bool packed = false) : objects_(packed) {}

  std::optional<json::Value> Get(const ObjectKey& key) const;
  std::vector<json::Value> List(std::string_view ns) const;
  std::vector<json::Value> ByIndex(std::string_view index, std::string_view value) const;
  size_t size() const;
  void AddIndex(std::string name, Informer::IndexFunction function);

  // Events as a watch brings them. An object with another uid than the known one was deleted and
  // recreated in between; one with the same resource version is no change.
  std::vector<Change> Apply(std::vector<WatchEvent> events);
  // Replaces the content with `fresh`, a new list, and reports changes in batches: changes for a
  // hundred thousand objects at once would be as large as the store.
  using Tell = std::function<void(const std::vector<Change>& changes)>;
  void Replace(ObjectSet fresh, const Tell& tell);

 private:
  // In key order. Few and small sets, of which objects are added mostly at the end.
  using Matches = std::vector<const ObjectSet::Slot*>;
  struct Index {
    Informer::IndexFunction function;
    std::unordered_map<std::string, Matches> values;
  };

  void Adopt(ObjectSet fresh, const Tell& tell);
  void UpsertLocked(json::Value object, std::vector<Change>& changes);
  void DeleteLocked(const ObjectSet::Slot& slot, json::Value last, bool final_state_unknown,
                    std::vector<Change>& changes);
  void DeleteMissingLocked(const ObjectSet& fresh, std::vector<Change>& changes);
  static Matches::iterator PlaceOf(const ObjectSet::Slot& slot, Matches& matches);
  static void Insert(const ObjectSet::Slot& slot, Matches& matches);
  static void Remove(const ObjectSet::Slot& slot, Matches& matches);
  void Reindex(const ObjectSet::Slot& slot, const json::Value& before, const json::Value& after);

  mutable std::shared_mutex mutex_;  // Guards all below.
  ObjectSet objects_;
  std::map<std::string, Index, std::less<>> indexes_;
};

}  // namespace coppice::kube
