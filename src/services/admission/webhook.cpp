#include "services/admission/webhook.h"

#include <fmt/format.h>

#include "api/edit/admission.h"
#include "api/view/admission.h"
#include "api/well_known.h"
#include "base/base64.h"
#include "json/patch/patch.h"
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

using edit::admission::AdmissionResponse;

void SetRefusal(const base::Error& error, AdmissionResponse response) {
  response.set_allowed(false);
  response.status().set_message(error.message()).set_reason("Forbidden").set_code(403);
}

void AnswerMutation(Admission& admission, Request request, AdmissionResponse response) {
  const json::Value before = request.object;
  const base::Status status = admission.Mutate(request);
  if (!status) return SetRefusal(status.error(), response);
  const json::Value patch = json::CreateJsonPatch(before, request.object);
  if (patch.empty()) return;
  response.set_patchType("JSONPatch").set_patch(base::Base64Encode(json::Write(patch)));
}

void AnswerValidation(Admission& admission, const Request& request, AdmissionResponse response) {
  const Verdict verdict = admission.Validate(request);
  if (!verdict.status) SetRefusal(verdict.status.error(), response);
  if (verdict.warnings.empty()) return;
  response.set_warnings(json::Value::Array({verdict.warnings.begin(), verdict.warnings.end()}));
}

base::Result<Request> ReadRequest(view::admission::AdmissionRequest body,
                                  const api::Resource& resource) {
  Request request;
  COPPICE_ASSIGN(request.operation, ReadOperation(body.operation()));
  request.resource = resource;
  request.ns = body.namespace_();
  request.object = body.object();
  request.old_object = body.oldObject();
  return request;
}

}  // namespace

base::Result<json::Value> AnswerReview(Admission& admission, std::string_view path,
                                       const json::Value& review) {
  const auto body = view::admission::AdmissionReview(review).request();
  if (!body) return base::InvalidArgument("the AdmissionReview has no request");
  for (const Path& known : kPaths) {
    if (known.path != path) continue;
    COPPICE_ASSIGN(Request request, ReadRequest(body, *known.resource));
    json::Value answer;
    const edit::admission::AdmissionReview out(answer);
    out.set_apiVersion("admission.k8s.io/v1").set_kind("AdmissionReview");
    const AdmissionResponse response = out.response();
    response.set_allowed(true).set_uid(body.uid());
    if (known.mutates) {
      AnswerMutation(admission, std::move(request), response);
    } else {
      AnswerValidation(admission, request, response);
    }
    return answer;
  }
  return base::NotFound(fmt::format("there is no webhook at {}", path));
}

}  // namespace coppice::services::admission
