#pragma once

#include <map>
#include <optional>
#include <string>

#include "backends/model/gang_info.h"
#include "base/quantity.h"

namespace coppice::backends {

using ResourceList = std::map<std::string, base::Quantity>;

// What a scheduler must find for one pod: requests (limits where no request is given) of all
// containers and sidecars, or of an init container where that is more, plus overhead. Amounts
// that do not parse count as nothing: the API server refuses them anyway.
ResourceList EffectiveRequests(const json::Value& pod_spec);
json::Value ToJson(const ResourceList& list);

// The minimum of the whole gang; nothing when the pod spec of a group with a minimum is unknown.
std::optional<ResourceList> MinResources(const PodGangInfo& gang);

}  // namespace coppice::backends
