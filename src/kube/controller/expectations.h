#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "api/resource.h"

namespace coppice::kube {

// What a controller has created and deleted but may not see in its cache yet, by owner key, as
// uids. Without this a lagging cache makes it create or delete twice. Thread-safe.
//
//   expectations.ExpectCreate(key, Uid(pod));
//   const auto pending = expectations.Sync(key, live_uids, terminating_uids);
//   const int diff = pods_seen + pending.creates.size() - replicas - pending.deletes.size();
class Expectations {
 public:
  using Uids = std::set<std::string>;
  struct Pending {
    Uids creates;  // Created, and not in the cache yet.
    Uids deletes;  // Deleted or terminating, and still in the cache.
  };

  void ExpectCreate(const api::ObjectKey& owner, const std::string& uid);
  // Also ends the expectation that it gets created.
  void ExpectDelete(const api::ObjectKey& owner, const std::string& uid);
  // The object is known to be gone: its delete event came, or a delete found nothing.
  void Gone(const api::ObjectKey& owner, const std::string& uid);
  // Compares with what the cache shows now and returns what is left. `live` are the owner's objects
  // that are not terminating. Terminating ones count as being deleted whether or not this process
  // deleted them, so they are also replaced at once after a restart.
  Pending Sync(const api::ObjectKey& owner, const Uids& live, const Uids& terminating);
  Pending Get(const api::ObjectKey& owner) const;
  // The owner is gone.
  void Forget(const api::ObjectKey& owner);
  size_t size() const;

 private:
  mutable std::mutex mutex_;  // Guards pending_.
  std::map<api::ObjectKey, Pending> pending_;
};

}  // namespace coppice::kube
