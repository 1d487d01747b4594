#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "store/journal.h"
#include "store/version.h"

namespace coppice::store {

struct ListQuery {
  std::string prefix;       // Of names: "ns/" for one namespace.
  std::string after;        // Starts after this name.
  size_t limit = 0;         // 0: everything.
  int64_t at_revision = 0;  // 0: the newest state.
};

struct Listing {
  std::vector<VersionPtr> items;  // In order of names.
  int64_t revision = 0;
  bool more = false;
  size_t remaining = 0;  // How many follow, when `more`.
};

// A condition on another object, checked atomically with a write: no write of that object comes in
// between.
struct Guard {
  std::string resource;
  std::string name;
  // Gets the newest state, null if there is none. Its error fails the write; kConflict is reserved
  // for conditions on the written object. Must be quick and must not use the store.
  std::function<base::Status(const VersionPtr& newest)> check;
};

// Objects by resource ("apps/deployments") and name ("ns/name"), with one revision counter over all
// of them and a history per resource that watches follow. Reads come from memory. With a journal, a
// write gets its revision first, becomes durable together with other pending writes (group commit),
// and only then becomes visible: no reader and no watcher ever sees a state that a crash could
// undo. Revisions become visible in order.
//
// Thread-safe. Writers block until their write is visible.
class Store {
 public:
  struct Options {
    size_t history = 16384;  // Changes kept per resource.
    // Of text, about, in the changes kept of all resources. Beyond it the resource that has most
    // forgets its oldest.
    size_t history_bytes = 256 << 20;
    size_t object_bytes = 3 << 20;  // Of one object, about: as much as a request can have.
  };

  static std::unique_ptr<Store> InMemory(Options options);
  static base::Result<std::unique_ptr<Store>> Open(std::unique_ptr<Journal> journal,
                                                   Options options);
  ~Store();

  // The newest visible revision. Starts at 1.
  int64_t revision() const;
  // Null if there is no such object.
  VersionPtr Get(std::string_view resource, std::string_view name) const;
  // Includes writes that are not durable yet. For writers that are about to replace it.
  VersionPtr GetNewest(std::string_view resource, std::string_view name) const;
  // kGone if at_revision is older than the history.
  base::Result<Listing> List(std::string_view resource, const ListQuery& query) const;
  size_t Count(std::string_view resource) const;
  // The same number as a live counter, for callers that need it at every write. Valid as long as
  // the store.
  const std::atomic<size_t>& Counter(std::string_view resource);
  std::vector<std::string> Resources() const;

  // Writes `value` with its metadata.resourceVersion set to the new revision. `expected` is the
  // revision being replaced, 0 when the object must not exist. kConflict otherwise. kTooLarge for
  // more than Options::object_bytes, kInvalidArgument for what nests too deep, kUnavailable when
  // the journal has no room for it.
  base::Result<VersionPtr> Put(std::string_view resource, std::string_view name, int64_t expected,
                               json::Value value, const Guard* guard = nullptr);
  // Returns the last state, carrying the revision of the deletion.
  base::Result<VersionPtr> Delete(std::string_view resource, std::string_view name,
                                  int64_t expected, const Guard* guard = nullptr);
  // Whether more objects can be written. Asks the journal only after a failed write, so it is cheap
  // to call often.
  base::Status CheckRoom();

  // Changes after revision `after`, at most `limit`, in order. `upto` is the revision to continue
  // from. kGone if `after` is older than the history.
  struct LogRead {
    std::vector<Change> changes;
    int64_t upto = 0;
  };
  base::Result<LogRead> ReadLog(std::string_view resource, int64_t after, size_t limit) const;
  // Forgets the history up to and including `revision`.
  void Compact(int64_t revision);

  // `wake` is called after changes of `resource` have become visible, from the writing thread; it
  // must be quick and must not call the store. A running call may end after Unsubscribe.
  using SubscriptionId = uint64_t;
  SubscriptionId Subscribe(std::string_view resource, std::function<void()> wake);
  void Unsubscribe(std::string_view resource, SubscriptionId id);

  // Called for every change of every resource, in order, before the write returns. Must be quick
  // and must not write. Set before the first write.
  using Observer = std::function<void(const std::string& resource, const Change& change)>;
  void SetObserver(Observer observer);

 private:
  using Objects = std::map<std::string, VersionPtr, std::less<>>;
  using TextHash = std::hash<std::string_view>;  // Faster than the library's own.
  using WakesPtr = std::shared_ptr<const std::vector<std::shared_ptr<std::function<void()>>>>;
  struct Table {
    Objects objects;  // In order of names, for lists.
    // The same by name. The views point to the keys of `objects`.
    boost::unordered_flat_map<std::string_view, Objects::iterator, TextHash> by_name;
    std::deque<Change> log;
    size_t log_bytes = 0;  // Of what is in it.
    int64_t floor = 0;     // The log holds every change after this revision.
    std::map<SubscriptionId, std::shared_ptr<std::function<void()>>> subscribers;
    std::atomic<size_t>* count = nullptr;  // Of objects, in counters_.
    WakesPtr
        wakes;  // The subscribers' functions as a snapshot; replaced, never modified. May be null.

    void CollectWakes();
    VersionPtr Find(std::string_view name) const;
    void Put(const std::string& name, VersionPtr version);
    void Erase(std::string_view name);
    Change ForgetOldest();
  };
  struct Pending {
    JournalEntry entry;
    Change change;
    base::Status* result;
    bool* done;
    // Set when it is published: the functions to call, and what dropped out of the history, to be
    // destroyed outside the locks.
    WakesPtr wakes;
    std::vector<Change> forgotten;
  };

  Store(std::unique_ptr<Journal> journal, Options options);
  base::Status Load();
  base::Status Commit(Pending pending, std::unique_lock<std::mutex>& lock);
  base::Status CommitBatch(std::span<const Pending> batch);
  void LeadCommit(std::unique_lock<std::mutex>& lock);
  void CommitOneByOne(std::vector<Pending>& batch);
  void Finish(std::span<Pending> batch, const base::Status& status);
  base::Status CheckGuard(const Guard* guard) const;
  void Publish(std::span<Pending> batch);
  void AddToLog(Table& table, Pending& pending);
  static void Wake(std::span<const Pending> batch);
  VersionPtr Newest(std::string_view resource, std::string_view name) const;
  Table& TableFor(std::string_view resource);
  const Table* FindTable(std::string_view resource) const;
  std::atomic<size_t>& CounterLocked(std::string_view resource);
  base::Result<Listing> ListAt(const Table& table, const ListQuery& query) const;

  const std::unique_ptr<Journal> journal_;
  const Options options_;

  // Guards what writers share: the revision counter, the queue to the journal, newest_.
  mutable std::mutex write_mutex_;
  std::condition_variable committed_;
  int64_t last_assigned_ = 1;
  bool leading_ = false;
  std::atomic<bool> failed_ = false;  // A journal write failed since CheckRoom last succeeded.
  std::vector<Pending> queue_;
  // The newest state of objects with writes that are not visible yet; null when deleted.
  std::unordered_map<std::string, VersionPtr> newest_;

  // Guards the visible state. Taken after write_mutex_ where both are needed.
  mutable std::shared_mutex read_mutex_;
  std::map<std::string, Table, std::less<>> tables_;
  boost::unordered_flat_map<std::string_view, Table*, TextHash> by_resource_;  // The same.
  std::map<std::string, std::atomic<size_t>, std::less<>> counters_;
  size_t log_bytes_ = 0;  // Of all tables.
  int64_t visible_ = 1;
  int64_t loaded_at_ = 0;  // The history before this revision was lost with the last process.
  uint64_t next_subscription_ = 1;
  Observer observer_;
};

}  // namespace coppice::store
