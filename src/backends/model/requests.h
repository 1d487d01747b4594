#pragma once

#include <map>
#include <optional>
#include <string>

#include "backends/model/gang_info.h"
#include "base/quantity.h"

namespace coppice::backends {

using ResourceList = std::map<std::string, base::Quantity>;

// A pod's effective requests: requests (or limits, if there is no request) of all containers and
// sidecars, or of an init container if that is more, plus overhead. Quantities that do not parse
// count as zero; the API server rejects them anyway.
ResourceList EffectiveRequests(const json::Value& pod_spec);
json::Value ToJson(const ResourceList& list);

// The requests of the gang's minimum; nullopt if the pod spec of a group with a minimum is unknown.
std::optional<ResourceList> MinResources(const PodGangInfo& gang);

}  // namespace coppice::backends
