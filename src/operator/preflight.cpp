#include "operator/preflight.h"

#include <fmt/format.h>

namespace coppice::operators {
namespace {

constexpr char kComputeDomainVersion[] = "resource.nvidia.com/v1beta1";
constexpr char kComputeDomains[] = "computedomains";

bool Lists(const json::Value& discovered, std::string_view plural) {
  for (const json::Value& resource : discovered["resources"].Items()) {
    if (resource["name"].AsString() == plural) return true;
  }
  return false;
}

base::Error Failed(std::string_view why) {
  return base::Error(
      base::ErrorCode::kNotFound,
      fmt::format("MNNVL preflight check failed: ComputeDomain CRD ({} of {}) {}; install NVIDIA's "
                  "DRA driver or set network.autoMNNVLEnabled to false",
                  kComputeDomains, kComputeDomainVersion, why));
}

}  // namespace

base::Status CheckPrerequisites(kube::Client& client, const Config& config) {
  if (!config.auto_mnnvl) return {};
  const auto discovered = client.GetPath(fmt::format("/apis/{}", kComputeDomainVersion));
  if (discovered.Is(base::ErrorCode::kNotFound)) return Failed("is not installed");
  if (!discovered) return Failed("cannot be looked up: " + discovered.error().message());
  if (!Lists(*discovered, kComputeDomains)) return Failed("is not installed");
  return {};
}

}  // namespace coppice::operators
