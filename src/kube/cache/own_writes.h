#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "kube/cache/indexed_objects.h"

namespace coppice::kube {

// A resource version as a number, by which versions of one resource are ordered; 0 when it is none.
uint64_t VersionNumber(std::string_view resource_version);

// What this process has written and its watch has not delivered yet, of one resource: a layer over
// the objects that the watch delivered (`seen`). The watch delivers versions in order. So a write
// is settled, and leaves the layer, once the watch or a new list has passed its version, whatever
// became of the object since.
//
// - Loss: a write whose event never comes, since the object is gone again, is settled by the next
//   event, bookmark or list.
// - Conflict: a write that the server rejects changes nothing here. The version that it conflicts
//   with is on its way; until then what this process wrote stays readable, so that reads never go
//   back in time.
// - Deletion: the answer to a delete has no version. Until the watch shows the object deleting or
//   gone, it reads as deleting.
// - Expiry: a write that the watch has not passed after kExpiry is dropped.
// - A list older than what the watch delivered comes from another history, such as a restored
//   backup, and drops everything.
//
// Not thread-safe.
class OwnWrites {
 public:
  // Long after a watch that has become silent is closed and opened again.
  static constexpr base::Duration kExpiry = std::chrono::minutes(10);

  bool empty() const { return entries_.empty(); }
  const IndexedObjects& objects() const { return objects_; }
  void AddIndex(std::string name, Informer::IndexFunction function) {
    objects_.AddIndex(std::move(name), std::move(function));
  }

  // Before reads of `objects` by index.
  void IndexAll() { objects_.IndexAll(); }

  // Whether the watch has not delivered this version yet.
  bool IsNew(uint64_t version) const { return version > watched_; }
  // The object as it was put, if it is this version of `object`.
  std::optional<json::Value> Written(const json::Value& object) const;
  // The server's answer to a create, update or patch.
  void Put(json::Value object, base::Instant now);
  // The server has accepted to delete this object, as it reads now, or does not have it any more.
  struct Deletion {
    base::Time at;
    std::optional<int64_t> grace_period_seconds;  // None: the pod's own.
  };
  void Delete(const json::Value& object, const Deletion& deletion, base::Instant now);

  // The watch has delivered all versions up to this one; `seen` shows them, and `changes` are what
  // is new in it.
  void Advance(uint64_t version, const std::vector<Change>& changes, const IndexedObjects& seen,
               base::Instant now);
  // A list of this version has become `seen`.
  void Restart(uint64_t version, const IndexedObjects& seen);

 private:
  struct Entry {
    uint64_t version = 0;
    base::Instant at;
    std::optional<Deletion> deleted;
  };
  using Slot = ObjectSet::Slot;
  using Entries = std::unordered_map<const Slot*, Entry>;

  const Slot* Find(const json::Value& object) const;
  const Slot& Show(const Entry& entry, json::Value object);
  void Settle(const IndexedObjects& seen);
  // Whether the watch shows that this deletion has happened. Shows the object's newest state if
  // not.
  bool IsDeletionSeen(const Slot& slot, const Entry& entry, const IndexedObjects& seen);
  void ReviewDeletion(Entries::iterator entry, const IndexedObjects& seen);
  void Drop(Entries::iterator entry);
  void DropExpired(base::Instant now);

  uint64_t watched_ = 0;  // What the watch has delivered.
  IndexedObjects objects_;
  Entries entries_;  // Of all `objects_`.
  // Those the watch has not passed, by version.
  std::set<std::pair<uint64_t, const Slot*>> unsettled_;
  size_t deleted_ = 0;  // Entries of deletions.
  base::Instant swept_{};
};

}  // namespace coppice::kube
