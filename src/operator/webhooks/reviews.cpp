#include "operator/webhooks/reviews.h"

#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "base/base64.h"
#include "json/patch/patch.h"
#include "json/write.h"

namespace coppice::operators::webhooks {
namespace {

using json::Value;

Value Allowed(const std::vector<std::string>& warnings = {}) {
  Value response = Value::Object({{"allowed", true}});
  for (const std::string& warning : warnings) {
    if (!warning.empty()) response.Mutable("warnings").Append(warning);
  }
  return response;
}

Value Refused(std::string message) {
  return Value::Object(
      {{"allowed", false},
       {"status",
        Value::Object({{"message", std::move(message)}, {"reason", "Forbidden"}, {"code", 403}})}});
}

Value Unreadable(std::string message) {
  return Value::Object(
      {{"allowed", false},
       {"status", Value::Object({{"message", std::move(message)}, {"code", 400}})}});
}

// Replaces the top-level members that defaulting changed.
Value Defaulted(const Admission& admission, const Value& request) {
  Value object = request["object"];
  if (const base::Status mutated = admission.Mutate(object, request["oldObject"]); !mutated) {
    return Unreadable(mutated.error().message());
  }
  const Value patch = json::CreateJsonPatch(request["object"], object);
  Value response = Allowed();
  if (patch.empty()) return response;
  response.Set("patchType", "JSONPatch");
  response.Set("patch", base::Base64Encode(json::Write(patch)));
  return response;
}

Value Judged(const Review& review) {
  if (review.causes.empty()) return Allowed(review.warnings);
  Value response = Refused(RefusalText(review.causes));
  for (const std::string& warning : review.warnings) response.Mutable("warnings").Append(warning);
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

Value Reviewer::AuthorizerResponse(const Value& request) const {
  const auto operation = OperationOf(request["operation"].AsString());
  if (!operation) return Refused(operation.error().message());
  const bool creating = *operation == ChildRequest::Operation::kCreate;
  const Decision decision =
      Authorize(config_, find_set_,
                {.operation = *operation,
                 .kind = request["kind"]["kind"].ToString(),
                 .user = request["userInfo"]["username"].ToString(),
                 .object = creating ? request["object"] : request["oldObject"]});
  return decision.allowed ? Allowed({decision.warning}) : Refused(decision.reason);
}

base::Result<Value> Reviewer::Respond(std::string_view path, const Value& request) const {
  const bool deleting = request["operation"].AsString() == "DELETE";
  if (path == kAuthorizerPath) return AuthorizerResponse(request);
  if (path == kDefaultingPath) return deleting ? Allowed() : Defaulted(*admission_, request);
  if (path == kValidatingPath) {
    if (deleting) return Allowed();
    return Judged(admission_->ReviewSet(request["object"], request["oldObject"]));
  }
  if (path == kBindingPath) {
    return deleting ? Allowed() : Judged(admission_->ReviewBinding(request["object"]));
  }
  return base::NotFound(fmt::format("there is no webhook at {}", path));
}

base::Result<Value> Reviewer::Answer(std::string_view path, const Value& review) const {
  const Value& request = review["request"];
  if (!request.IsObject()) return base::InvalidArgument("the AdmissionReview has no request");
  COPPICE_ASSIGN(Value response, Respond(path, request));
  response.Set("uid", request["uid"]);
  return Value::Object({{"apiVersion", "admission.k8s.io/v1"},
                        {"kind", "AdmissionReview"},
                        {"response", std::move(response)}});
}

}  // namespace coppice::operators::webhooks
