#include "server/webhooks/admission_review.h"

#include <fmt/format.h>

#include "json/parse.h"
#include "kube/transport/status_error.h"
#include "server/base64.h"
#include "server/errors.h"
#include "server/webhooks/webhook_match.h"

namespace coppice::server {
namespace {

json::Value KindOf(const api::Resource& resource) {
  return json::Value::Object(
      {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}});
}

// What is sent to a subresource can be of a kind of its own: a Scale, a Binding.
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

base::Error Refusal(const std::string& webhook, const json::Value& status) {
  std::string why = status["message"].ToString();
  if (why.empty()) why = status["reason"].ToString();
  const std::string message =
      why.empty()
          ? fmt::format("admission webhook \"{}\" denied the request without explanation", webhook)
          : fmt::format("admission webhook \"{}\" denied the request: {}", webhook, why);
  const int64_t code = status["code"].AsInt(403);
  std::vector<base::FieldCause> causes;
  for (const json::Value& cause : status["details"]["causes"].Items()) {
    causes.push_back(
        {cause["reason"].ToString(), cause["field"].ToString(), cause["message"].ToString()});
  }
  return base::Error(
             code >= 400 ? kube::CodeFromHttp(static_cast<int>(code)) : base::ErrorCode::kForbidden,
             message)
      .WithCauses(std::move(causes));
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

base::Result<Verdict> ReadReview(const std::string& webhook, const std::string& uid,
                                 const json::Value& review) {
  const json::Value& response = review["response"];
  if (!response.IsObject()) return base::Internal("the webhook's answer has no response");
  if (response["uid"].AsString() != uid) {
    return base::Internal("the webhook's answer is not for this request: its uid differs");
  }
  if (!response["allowed"].AsBool()) return Refusal(webhook, response["status"]);
  Verdict verdict;
  for (const json::Value& warning : response["warnings"].Items()) {
    verdict.warnings.push_back(warning.ToString());
  }
  for (const json::Member& note : response["auditAnnotations"].Members()) {
    verdict.annotations.emplace_back(note.name(), note.value.ToString());
  }
  if (response["patch"].AsString().empty()) return verdict;
  if (response["patchType"].AsString() != "JSONPatch") {
    return base::Internal("the webhook's patch is not a JSONPatch");
  }
  const std::optional<std::string> bytes = DecodeBase64(response["patch"].AsString());
  if (!bytes) return base::Internal("the webhook's patch is not base64");
  COPPICE_ASSIGN(verdict.patch, json::Parse(*bytes));
  return verdict;
}

}  // namespace coppice::server
