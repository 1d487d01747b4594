#include "services/common/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "kube/object.h"
#include "services/common/served.h"

namespace coppice::services {
namespace {

bool NamesGpu(std::string_view device_class) {
  std::string lower(device_class);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return lower.find("gpu") != std::string::npos;
}

int64_t CountOf(const json::Value& request) {
  const std::string_view mode = request["allocationMode"].AsString("ExactCount");
  if (mode == "All") return 1;
  if (mode != "ExactCount") return 0;
  return std::max<int64_t>(1, request["count"].AsInt());
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return a > kMax - b ? kMax : a + b;
}

}  // namespace

bool IsExtendedResourceClaim(const json::Value& claim) {
  return kube::Annotation(claim, kExtendedResourceClaim) == "true";
}

base::Result<std::string> ClaimNameOf(const json::Value& pod, std::string_view entry_name) {
  for (const json::Value& entry : pod["spec"]["resourceClaims"].Items()) {
    if (entry["name"].AsString() == entry_name && entry.Has("resourceClaimName")) {
      return entry["resourceClaimName"].ToString();
    }
  }
  for (const json::Value& status : pod["status"]["resourceClaimStatuses"].Items()) {
    if (status["name"].AsString() == entry_name && status.Has("resourceClaimName")) {
      return status["resourceClaimName"].ToString();
    }
  }
  return base::NotFound(fmt::format("the claim of entry {} does not exist yet", entry_name));
}

base::Result<std::optional<api::Resource>> ServedClaims(kube::Client& client) {
  for (const char* version : {"v1", "v1beta2", "v1beta1"}) {
    const api::Resource claims{"resource.k8s.io", version, "resourceclaims", "ResourceClaim", true};
    COPPICE_ASSIGN(const bool served, IsServed(client, claims));
    if (served) return std::optional(claims);
  }
  return std::optional<api::Resource>();
}

std::map<std::string, int64_t> GpusOfClaim(const json::Value& claim) {
  if (IsExtendedResourceClaim(claim)) return {};
  std::string first_class;
  int64_t total = 0;
  for (const json::Value& request : claim["spec"]["devices"]["requests"].Items()) {
    // v1beta1 has what later versions call `exactly` in the request itself.
    const json::Value& exact = request.Has("deviceClassName") ? request : request["exactly"];
    const std::string_view device_class = exact["deviceClassName"].AsString();
    if (!NamesGpu(device_class)) continue;
    if (first_class.empty()) first_class = device_class;
    total = SaturatingAdd(total, CountOf(exact));
  }
  if (first_class.empty()) return {};
  return {{first_class, total}};
}

}  // namespace coppice::services
