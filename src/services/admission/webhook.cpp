#include "services/admission/webhook.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "http/crypto.h"
#include "json/write.h"

namespace coppice::services::admission {
namespace {

struct Path {
  std::string_view path;
  const api::Resource* resource;
  bool mutates;
};

const Path kPaths[] = {
    {"/mutate--v1-pod", &api::kPods, true},
    {"/validate--v1-pod", &api::kPods, false},
    {"/validate-kai-scheduler-v1alpha1-topology", &api::kTopologies, false},
    {"/validate-scheduling-run-ai-v2-queue", &api::kQueues, false},
    {"/validate-scheduling-run-ai-v2alpha2-podgroup", &api::kPodGroups, false},
};

base::Result<Operation> ReadOperation(std::string_view text) {
  if (text == "CREATE") return Operation::kCreate;
  if (text == "UPDATE") return Operation::kUpdate;
  if (text == "DELETE") return Operation::kDelete;
  return base::InvalidArgument(
      fmt::format("request.operation is \"{}\", which is not known", text));
}

// Replaces the top-level members that differ.
json::Value JsonPatch(const json::Value& from, const json::Value& to) {
  json::Value patch = json::Value::Array();
  for (const json::Member& member : to.Members()) {
    const json::Value* old = from.Find(member.name());
    if (old && *old == member.value) continue;
    patch.Append(json::Value::Object({{"op", old ? "replace" : "add"},
                                      {"path", fmt::format("/{}", member.name())},
                                      {"value", member.value}}));
  }
  return patch;
}

void SetRefusal(const base::Error& error, json::Value& response) {
  response.Set("allowed", false);
  response.Set(
      "status",
      json::Value::Object({{"message", error.message()}, {"reason", "Forbidden"}, {"code", 403}}));
}

json::Value MutateAnswer(Admission& admission, Request request) {
  json::Value response = json::Value::Object({{"allowed", true}});
  const json::Value before = request.object;
  const base::Status status = admission.Mutate(request);
  if (!status) {
    SetRefusal(status.error(), response);
    return response;
  }
  const json::Value patch = JsonPatch(before, request.object);
  if (patch.empty()) return response;
  response.Set("patchType", "JSONPatch");
  response.Set("patch", http::Base64Encode(json::Write(patch)));
  return response;
}

json::Value ValidateAnswer(Admission& admission, const Request& request) {
  json::Value response = json::Value::Object({{"allowed", true}});
  const Verdict verdict = admission.Validate(request);
  if (!verdict.status) SetRefusal(verdict.status.error(), response);
  for (const std::string& warning : verdict.warnings) response.Mutable("warnings").Append(warning);
  return response;
}

}  // namespace

base::Result<json::Value> AnswerReview(Admission& admission, std::string_view path,
                                       const json::Value& review) {
  const json::Value& body = review["request"];
  if (!body.IsObject()) return base::InvalidArgument("the AdmissionReview has no request");
  for (const Path& known : kPaths) {
    if (known.path != path) continue;
    Request request;
    COPPICE_ASSIGN(request.operation, ReadOperation(body["operation"].AsString()));
    request.resource = *known.resource;
    request.ns = body["namespace"].ToString();
    request.object = body["object"];
    request.old_object = body["oldObject"];
    json::Value response = known.mutates ? MutateAnswer(admission, std::move(request))
                                         : ValidateAnswer(admission, request);
    response.Set("uid", body["uid"]);
    return json::Value::Object({{"apiVersion", "admission.k8s.io/v1"},
                                {"kind", "AdmissionReview"},
                                {"response", std::move(response)}});
  }
  return base::NotFound(fmt::format("there is no webhook at {}", path));
}

}  // namespace coppice::services::admission
