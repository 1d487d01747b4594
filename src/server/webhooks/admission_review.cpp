#include "server/webhooks/admission_review.h"

#include "server/webhooks/webhook_match.h"

namespace coppice::server {
namespace {

json::Value KindOf(const api::Resource& resource) {
  return json::Value::Object(
      {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}});
}

// The body of a subresource can have its own kind: a Scale, a Binding.
json::Value KindOf(const api::Resource& resource, const AdmissionRequest& request) {
  const json::Value& sent = request.object.IsObject() ? request.object : request.old_object;
  if (request.subresource.empty() || !sent["kind"].IsString()) return KindOf(resource);
  if (sent["kind"].AsString() == resource.kind) return KindOf(resource);
  const std::string version = sent["apiVersion"].ToString();
  const size_t slash = version.find('/');
  const bool grouped = slash != std::string::npos;
  return json::Value::Object({{"group", grouped ? version.substr(0, slash) : ""},
                              {"version", grouped ? version.substr(slash + 1) : version},
                              {"kind", sent["kind"]}});
}

json::Value ResourceOf(const api::Resource& resource) {
  return json::Value::Object(
      {{"group", resource.group}, {"version", resource.version}, {"resource", resource.plural}});
}

}  // namespace

json::Value ReviewRequest(const AdmissionRequest& request, const api::Resource& asked,
                          const json::Value& object, const std::string& uid) {
  json::Value review = json::Value::Object({{"uid", uid},
                                            {"kind", KindOf(request.resource, request)},
                                            {"resource", ResourceOf(request.resource)},
                                            {"requestKind", KindOf(asked, request)},
                                            {"requestResource", ResourceOf(asked)},
                                            {"name", request.key.name},
                                            {"operation", OperationName(request.operation)},
                                            {"userInfo", UserInfo(request.user)},
                                            {"object", object},
                                            {"oldObject", request.old_object},
                                            {"dryRun", request.dry_run}});
  if (!request.key.ns.empty()) review.Set("namespace", request.key.ns);
  if (!request.subresource.empty()) {
    review.Set("subResource", request.subresource).Set("requestSubResource", request.subresource);
  }
  return review;
}

}  // namespace coppice::server
