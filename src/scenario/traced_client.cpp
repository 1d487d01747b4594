#include "scenario/traced_client.h"

#include <fmt/format.h>

#include <utility>

#include "api/edit/meta.h"
#include "api/view/meta.h"
#include "json/write.h"

namespace coppice::scenario {
namespace {

// What a write says, without what every object has.
std::string Gist(json::Value body) {
  if (!body.IsObject()) return json::Write(body);
  if (view::meta::PartialObjectMetadata(body).has_metadata()) {
    const auto metadata = edit::meta::PartialObjectMetadata(body).metadata();
    metadata.clear_managedFields();
    metadata.clear_creationTimestamp();
    metadata.clear_generation();
  }
  return json::Write(body);
}

}  // namespace

base::Result<json::Value> TracedClient::Create(const api::Resource& resource,
                                               const json::Value& object,
                                               const kube::WriteOptions& options) {
  body_ = object;
  return InterceptedClient::Create(resource, object, options);
}

base::Result<json::Value> TracedClient::Update(const api::Resource& resource,
                                               const json::Value& object,
                                               const kube::WriteOptions& options) {
  body_ = object;
  return InterceptedClient::Update(resource, object, options);
}

base::Result<json::Value> TracedClient::Patch(const api::Resource& resource,
                                              const api::ObjectKey& key, kube::PatchType type,
                                              const json::Value& patch,
                                              const kube::WriteOptions& options) {
  body_ = patch;
  return InterceptedClient::Patch(resource, key, type, patch, options);
}

base::Status TracedClient::After(const kube::Call& call, const base::Status& outcome) {
  if (!call.writes()) return outcome;
  fmt::print(stderr, "{} {} {} {} {} {}\n", base::FormatRfc3339Micro(executor_.Now()),
             ToString(call.verb), call.What(), call.key.ToString(),
             outcome ? "ok" : outcome.error().message(), Gist(std::exchange(body_, {})));
  return outcome;
}

}  // namespace coppice::scenario
