#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/cache/cache.h"
#include "kube/cache/object_set.h"

namespace coppice::kube {

// Objects of one resource with their indexes. Not thread-safe.
class IndexedObjects {
 public:
  // In key order. Few and small sets, of which objects are added mostly at the end.
  using Matches = std::vector<const ObjectSet::Slot*>;

  // Packed objects need less memory and more time (packed_object.h).
  explicit IndexedObjects(bool packed = false) : objects_(packed) {}

  const ObjectSet& objects() const { return objects_; }
  bool empty() const { return objects_.empty(); }
  const ObjectSet::Slot* Find(KeyView key) const { return objects_.Find(key); }
  const Matches& ByIndex(std::string_view index, std::string_view value) const;

  // An index of this name that exists already is kept.
  void AddIndex(std::string name, Informer::IndexFunction function);
  // Adds `object`, or puts it in the place of `before`, which has its key.
  void Put(const json::Value& before, const json::Value& object);
  void Erase(const ObjectSet::Slot& slot);
  // Replaces everything.
  void Adopt(ObjectSet objects);

 private:
  struct Index {
    Informer::IndexFunction function;
    std::unordered_map<std::string, Matches> values;
  };

  static Matches::iterator PlaceOf(const ObjectSet::Slot& slot, Matches& matches);
  static void Insert(const ObjectSet::Slot& slot, Matches& matches);
  static void Remove(const ObjectSet::Slot& slot, Matches& matches);
  void Reindex(const ObjectSet::Slot& slot, const json::Value& before, const json::Value& after);

  ObjectSet objects_;
  std::map<std::string, Index, std::less<>> indexes_;
};

}  // namespace coppice::kube
