#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "kube/cache/apply.h"
#include "kube/client/client.h"

namespace coppice::operators {

// Whether an object's labels say that it was made for the set of this name. One without an owner
// that does is an orphan, to be taken up again.
bool IsPartOf(const json::Value& object, std::string_view set);

// Creates `desired`, or patches `existing` to it where they differ, unless it is somebody else's.
// The patch is bound to the existing object's uid. AlreadyExists when somebody else created it and
// the cache that `existing` was read from has not seen it yet.
base::Result<kube::Applied> CreateOrPatchOwned(kube::Client& client, const kube::Resource& resource,
                                               const std::optional<json::Value>& existing,
                                               const json::Value& desired);

}  // namespace coppice::operators
