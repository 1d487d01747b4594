#include "operator/preflight.h"

#include <fmt/format.h>

#include "api/edit/authentication.h"
#include "api/view/apidiscovery.h"
#include "api/view/authentication.h"

namespace coppice::operators {
namespace {

constexpr char kComputeDomainVersion[] = "resource.nvidia.com/v1beta1";
constexpr char kComputeDomains[] = "computedomains";

bool Lists(const json::Value& discovered, std::string_view plural) {
  for (const auto resource : view::apidiscovery::APIResourceList(discovered).resources()) {
    if (resource.name() == plural) return true;
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
  json::Value request = json::Value::Object();
  edit::authentication::SelfSubjectReview(request)
      .set_apiVersion(reviews.ApiVersion())
      .set_kind(reviews.kind);
  const auto review = client.Create(reviews, request);
  if (!review) return review.error().During("asking who we are");
  std::string user(view::authentication::SelfSubjectReview(*review).status().userInfo().username());
  if (user.empty()) return base::Internal("the API server does not say who we are");
  return user;
}

}  // namespace coppice::operators
