#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/cache/cache.h"
#include "kube/client/client.h"

// Writing objects the way every controller should: only what differs, only onto the version that
// the decision was made from, and nothing at all when nothing differs.
namespace coppice::kube {

// The smallest merge patch that makes `after` of `before`: an empty object when they are equal.
// Arrays are replaced as a whole. Members that are null in `after` count as absent.
json::Value MergePatchBetween(const json::Value& before, const json::Value& after);

enum class Written { kNothing, kCreated, kPatched };

struct Applied {
  Written written = Written::kNothing;
  json::Value object;  // As it is now on the server (or in the cache, when nothing was written).
};

// Changes an object in place into what it should be. It may be called more than once, on newer
// versions; it must not touch what it does not own. An error ends the whole operation.
using Mutate = std::function<base::Status(json::Value& object)>;

// Brings one object to the desired state. Reads it from `cached` if given, else from the server;
// creates it if it is missing, and otherwise patches what `mutate` changed, guarded by the resource
// version. A cache that turns out to lag behind is bypassed. With an informer that trims, `mutate`
// must not rewrite arrays that were trimmed.
//
//   COPPICE_ASSIGN(Applied gang, CreateOrPatch(client, api::kPodGangs, key, &informer,
//                                              [&](json::Value& o) { return Fill(set, o); }));
base::Result<Applied> CreateOrPatch(Client& client, const Resource& resource, const ObjectKey& key,
                                    const Informer* cached, const Mutate& mutate,
                                    const WriteOptions& options = {});

// Patches `before`, an object that exists, into `after`; guarded by the resource version of
// `before`. A conflict is returned, for the caller decided on an old state.
base::Result<Applied> PatchTo(Client& client, const Resource& resource, const json::Value& before,
                              const json::Value& after, const WriteOptions& options = {});

// The same, guarded only by the uid: for fields that only the caller writes, in an object whose
// other parts change often.
base::Result<Applied> PatchSame(Client& client, const Resource& resource, const json::Value& before,
                                const json::Value& after);

// Makes `status` the status of `object`, by the status subresource. Guarded as above.
base::Result<Applied> PatchStatus(Client& client, const Resource& resource,
                                  const json::Value& object, const json::Value& status,
                                  const WriteOptions& options = {});

// Adds or removes one finalizer and keeps the others; retries on newer versions of the same object
// (by uid) after a conflict. Removing one from an object that is gone is a success.
base::Result<Applied> AddFinalizer(Client& client, const Resource& resource,
                                   const json::Value& object, std::string_view finalizer);
base::Result<Applied> RemoveFinalizer(Client& client, const Resource& resource,
                                      const json::Value& object, std::string_view finalizer);

// Deletes exactly this object (by uid). Success if it is gone or has been recreated since; an
// object that is already being deleted is left alone.
base::Status DeleteObject(Client& client, const Resource& resource, const json::Value& object,
                          DeleteOptions options = {});

// Reads the object from the server, mutates and patches it; retries after conflicts. NotFound when
// it does not exist; with `uid`, Conflict if it is another object by now.
base::Result<Applied> Modify(Client& client, const Resource& resource, const ObjectKey& key,
                             const Mutate& mutate, std::optional<std::string> uid = std::nullopt,
                             const WriteOptions& options = {});

// How often a guarded write is tried before its conflict is returned.
inline constexpr int kConflictAttempts = 5;

}  // namespace coppice::kube
