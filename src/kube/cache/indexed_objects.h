#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
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
  // Without objects that are not indexed yet.
  const Matches& ByIndex(std::string_view index, std::string_view value) const;

  // An index of this name that exists already is kept.
  void AddIndex(std::string name, Informer::IndexFunction function);
  // Adds `object`, or puts it in the place of `before`, which has its key.
  void Put(const json::Value& before, const json::Value& object);
  // Adds or replaces `object` and leaves indexing it to IndexAll: most objects of a layer that
  // lives for milliseconds are gone before anybody asks for them by index.
  const ObjectSet::Slot& PutUnindexed(const json::Value& object);
  bool all_indexed() const { return unindexed_.empty(); }
  void IndexAll();
  void Erase(const ObjectSet::Slot& slot);
  // Replaces everything.
  void Adopt(ObjectSet objects);

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Index {
    Informer::IndexFunction function;
    std::unordered_map<std::string, Matches, TextHash, std::equal_to<>> values;
  };

  static Matches::iterator PlaceOf(const ObjectSet::Slot& slot, Matches& matches);
  static void Insert(const ObjectSet::Slot& slot, Matches& matches);
  static void Remove(const ObjectSet::Slot& slot, Matches& matches);
  void Reindex(const ObjectSet::Slot& slot, const json::Value& before, const json::Value& after);

  ObjectSet objects_;
  std::map<std::string, Index, std::less<>> indexes_;
  boost::unordered_flat_set<const ObjectSet::Slot*> unindexed_;
};

}  // namespace coppice::kube
