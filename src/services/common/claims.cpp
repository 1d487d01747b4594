#include "services/common/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "api/view/core.h"
#include "api/view/resource.h"
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

int64_t CountOf(view::resource::ExactDeviceRequest request) {
  if (request.allocationMode() == "All") return 1;
  if (request.has_allocationMode() && request.allocationMode() != "ExactCount") return 0;
  return std::max<int64_t>(1, request.count());
}

// Of spec.resourceClaims or status.resourceClaimStatuses; nothing where the entry names no claim.
template <typename Entry>
std::optional<std::string> NamedClaim(view::List<Entry> entries, std::string_view name) {
  for (const Entry entry : entries) {
    if (entry.name() == name && entry.has_resourceClaimName()) {
      return std::string(entry.resourceClaimName());
    }
  }
  return std::nullopt;
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return a > kMax - b ? kMax : a + b;
}

}  // namespace

bool IsExtendedResourceClaim(const json::Value& claim) {
  return kube::Annotation(claim, kExtendedResourceClaim) == "true";
}

base::Result<std::string> ClaimNameOf(const json::Value& object, std::string_view entry) {
  const view::core::Pod pod(object);
  if (auto name = NamedClaim(pod.spec().resourceClaims(), entry)) return *std::move(name);
  if (auto name = NamedClaim(pod.status().resourceClaimStatuses(), entry)) return *std::move(name);
  return base::NotFound(fmt::format("the claim of entry {} does not exist yet", entry));
}

base::Result<std::optional<api::Resource>> ServedClaims(kube::Client& client) {
  for (const char* version : {"v1", "v1beta2", "v1beta1"}) {
    const api::Resource claims{"resource.k8s.io", version, "resourceclaims", "ResourceClaim", true};
    COPPICE_ASSIGN(const bool served, IsServed(client, claims));
    if (served) return std::optional(claims);
  }
  return std::optional<api::Resource>();
}

std::map<std::string, int64_t> GpusOfClaim(const json::Value& object) {
  if (IsExtendedResourceClaim(object)) return {};
  const view::resource::ResourceClaim claim(object);
  std::string first_class;
  int64_t total = 0;
  for (const view::resource::DeviceRequest request : claim.spec().devices().requests()) {
    // v1beta1 has what later versions call `exactly` in the request itself.
    const view::resource::ExactDeviceRequest itself(request.Json());
    const auto exact = itself.has_deviceClassName() ? itself : request.exactly();
    const std::string_view device_class = exact.deviceClassName();
    if (!NamesGpu(device_class)) continue;
    if (first_class.empty()) first_class = device_class;
    total = SaturatingAdd(total, CountOf(exact));
  }
  if (first_class.empty()) return {};
  return {{first_class, total}};
}

}  // namespace coppice::services
