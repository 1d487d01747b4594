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

base::Result<std::string> OwnUser(kube::Client& client) {
  const api::Resource reviews{"authentication.k8s.io", "v1", "selfsubjectreviews",
                              "SelfSubjectReview", false};
  const auto review = client.Create(
      reviews, json::Value::Object({{"apiVersion", reviews.ApiVersion()}, {"kind", reviews.kind}}));
  if (!review) return review.error().During("asking who we are");
  std::string user = (*review)["status"]["userInfo"]["username"].ToString();
  if (user.empty()) return base::Internal("the API server does not say who we are");
  return user;
}

}  // namespace coppice::operators
