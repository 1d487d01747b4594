#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "kube/client.h"

namespace coppice::operators {

// Writes objects so that nothing is written when nothing changed, and nothing is overwritten that
// somebody else changed meanwhile.
class Writer {
 public:
  explicit Writer(kube::Client& client) : client_(client) {}

  enum class Change { kNone, kCreated, kPatched };
  struct Written {
    Change change = Change::kNone;
    json::Value object;
  };

  // Creates `desired`, or patches `existing` (as cached) to it where they differ. The patch is bound
  // to the existing object's uid. AlreadyExists when the cache had not seen it yet.
  base::Result<Written> CreateOrPatch(const kube::Resource& resource,
                                      const std::optional<json::Value>& existing,
                                      const json::Value& desired);
  // Replaces the status where it differs, unless the object has changed since it was read.
  base::Result<Written> PatchStatus(const kube::Resource& resource, const json::Value& object,
                                    const json::Value& status);
  base::Status AddFinalizer(const kube::Resource& resource, json::Value& object,
                            std::string_view finalizer);
  base::Status RemoveFinalizer(const kube::Resource& resource, const json::Value& object,
                               std::string_view finalizer);
  // Deletes this very object; one that is gone already is fine.
  base::Status Delete(const kube::Resource& resource, const json::Value& object);

 private:
  kube::Client& client_;
};

}  // namespace coppice::operators
