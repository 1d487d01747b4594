#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/cache/apply.h"
#include "kube/cache/cache.h"

namespace coppice::operators {

// Objects that were created and that the cache does not show yet. Without this a controller that
// comes back too early would try to create them again. Thread-safe.
class CreatedObjects {
 public:
  void Remember(const kube::Resource& resource, const json::Value& object, base::Instant now);
  // The object as it was created; none when it was not, or so long ago that it must be lost.
  std::optional<json::Value> Find(const kube::Resource& resource, const api::ObjectKey& key,
                                  base::Instant now);
  // Whether there are any that the cache should show by and by. Drops those that are lost.
  bool Any(base::Instant now);
  // Forgets what this cache shows from now on. Call before the cache starts.
  static void Follow(const std::shared_ptr<CreatedObjects>& created, kube::Informer& informer,
                     const kube::Resource& resource);

 private:
  using Id = std::pair<std::string, api::ObjectKey>;  // Resource and key.
  struct Entry {
    json::Value object;
    base::Instant at;
  };

  void Forget(const Id& id);

  mutable std::mutex mutex_;  // Guards entries_.
  std::map<Id, Entry> entries_;
};

// Whether an object's labels say that it was made for the set of this name. One without an owner
// that does is an orphan, to be taken up again.
bool IsPartOf(const json::Value& object, std::string_view set);

// Creates `desired`, or patches `existing` to it where they differ, unless it is somebody else's.
// The patch is bound to the existing object's uid.
base::Result<kube::Applied> CreateOrPatchOwned(kube::Client& client, const kube::Resource& resource,
                                               const std::optional<json::Value>& existing,
                                               const json::Value& desired);

// The same for objects that are read from a cache, which CreatedObjects must follow.
class Writer {
 public:
  Writer(kube::Client& client, CreatedObjects& created, base::Instant now)
      : client_(client), created_(created), now_(now) {}

  // AlreadyExists when somebody else created it and the cache has not seen it yet.
  base::Result<kube::Applied> CreateOrPatch(const kube::Resource& resource,
                                            const std::optional<json::Value>& existing,
                                            const json::Value& desired);

 private:
  kube::Client& client_;
  CreatedObjects& created_;
  const base::Instant now_;
};

}  // namespace coppice::operators
