#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "kube/cache/apply.h"
#include "kube/client/client.h"

namespace coppice::operators {

// Whether an object's labels show that it was created for the set of this name. If it has no owner,
// it is an orphan to adopt.
bool IsPartOf(const json::Value& object, std::string_view set);

// Creates `desired`, or patches `existing` to match it if they differ, unless it belongs to someone
// else. The patch is bound to the existing object's uid. Fails with AlreadyExists if someone else
// created the object and the cache behind `existing` has not seen it yet.
base::Result<kube::Applied> CreateOrPatchOwned(kube::Client& client, const kube::Resource& resource,
                                               const std::optional<json::Value>& existing,
                                               const json::Value& desired);

}  // namespace coppice::operators
