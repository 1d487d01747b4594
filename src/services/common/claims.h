#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/labels.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

// Resource claims of pods (docs/behaviour/services.md#gpu-requests).
namespace coppice::services {

using api::labels::kExtendedResourceClaim;

// Whether the claim represents extended resources of a pod.
bool IsExtendedResourceClaim(const json::Value& claim);
// The ResourceClaim behind an entry of spec.resourceClaims.
base::Result<std::string> ClaimNameOf(const json::Value& pod, std::string_view entry);
// The claims' resource in the newest version that the cluster serves; nullopt if it serves no
// claims.
base::Result<std::optional<api::Resource>> ServedClaims(kube::Client& client);
// GPUs that the claim requests, under the first GPU device class it names; empty if none.
std::map<std::string, int64_t> GpusOfClaim(const json::Value& claim);

}  // namespace coppice::services
