#include "operator/webhooks/reviews.h"

#include <fmt/format.h>

#include "api/edit/admission.h"
#include "api/schema/errors/field_error.h"
#include "base/base64.h"
#include "json/patch/patch.h"
#include "json/write.h"

namespace coppice::operators::webhooks {
namespace {

using json::Value;

using edit::admission::AdmissionResponse;
using view::admission::AdmissionRequest;

void SetWarnings(const std::vector<std::string>& warnings, Value& response) {
  Value list = Value::Array();
  for (const std::string& warning : warnings) {
    if (!warning.empty()) list.Append(warning);
  }
  if (!list.empty()) AdmissionResponse(response).set_warnings(std::move(list));
}

Value Allowed(const std::vector<std::string>& warnings = {}) {
  Value response = Value::Object();
  AdmissionResponse(response).set_allowed(true);
  SetWarnings(warnings, response);
  return response;
}

Value Refused(std::string_view message) {
  Value response = Value::Object();
  AdmissionResponse(response).set_allowed(false).status().set_message(message).set_code(403);
  AdmissionResponse(response).status().set_reason("Forbidden");
  return response;
}

Value Unreadable(std::string_view message) {
  Value response = Value::Object();
  AdmissionResponse(response).set_allowed(false).status().set_message(message).set_code(400);
  return response;
}

// Replaces the top-level members that defaulting changed.
Value Defaulted(const Admission& admission, AdmissionRequest request) {
  Value object = request.object();
  if (const base::Status mutated = admission.Mutate(object, request.oldObject()); !mutated) {
    return Unreadable(mutated.error().message());
  }
  const Value patch = json::CreateJsonPatch(request.object(), object);
  Value response = Allowed();
  if (patch.empty()) return response;
  AdmissionResponse(response)
      .set_patchType("JSONPatch")
      .set_patch(base::Base64Encode(json::Write(patch)));
  return response;
}

Value Judged(const Review& review) {
  if (review.causes.empty()) return Allowed(review.warnings);
  Value response = Refused(RefusalText(review.causes));
  SetWarnings(review.warnings, response);
  return response;
}

base::Result<ChildRequest::Operation> OperationOf(std::string_view text) {
  if (text == "CREATE") return ChildRequest::Operation::kCreate;
  if (text == "UPDATE") return ChildRequest::Operation::kUpdate;
  if (text == "DELETE") return ChildRequest::Operation::kDelete;
  if (text == "CONNECT") return ChildRequest::Operation::kConnect;
  return base::InvalidArgument(fmt::format("request.operation \"{}\" is not known", text));
}

}  // namespace

Value Reviewer::AuthorizerResponse(view::admission::AdmissionRequest request) const {
  const auto operation = OperationOf(request.operation());
  if (!operation) return Refused(operation.error().message());
  const bool creating = *operation == ChildRequest::Operation::kCreate;
  const Decision decision =
      Authorize(config_, find_set_,
                {.operation = *operation,
                 .kind = std::string(request.kind().kind()),
                 .user = std::string(request.userInfo().username()),
                 .object = creating ? request.object() : request.oldObject()});
  return decision.allowed ? Allowed({decision.warning}) : Refused(decision.reason);
}

base::Result<Value> Reviewer::Respond(std::string_view path,
                                      view::admission::AdmissionRequest request) const {
  const bool deleting = request.operation() == "DELETE";
  if (path == kAuthorizerPath) return AuthorizerResponse(request);
  if (path == kDefaultingPath) return deleting ? Allowed() : Defaulted(*admission_, request);
  if (path == kValidatingPath) {
    if (deleting) return Allowed();
    return Judged(admission_->ReviewSet(request.object(), request.oldObject()));
  }
  if (path == kBindingPath) {
    return deleting ? Allowed() : Judged(admission_->ReviewBinding(request.object()));
  }
  return base::NotFound(fmt::format("there is no webhook at {}", path));
}

base::Result<Value> Reviewer::Answer(std::string_view path, const Value& review) const {
  const AdmissionRequest request = view::admission::AdmissionReview(review).request();
  if (!request) return base::InvalidArgument("the AdmissionReview has no request");
  COPPICE_ASSIGN(Value response, Respond(path, request));
  AdmissionResponse(response).set_uid(request.uid());
  Value answer = Value::Object();
  edit::admission::AdmissionReview(answer)
      .set_apiVersion("admission.k8s.io/v1")
      .set_kind("AdmissionReview")
      .set_response(std::move(response));
  return answer;
}

}  // namespace coppice::operators::webhooks
