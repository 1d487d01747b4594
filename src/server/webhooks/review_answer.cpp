#include "server/webhooks/review_answer.h"

#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "base/base64.h"
#include "json/parse.h"
#include "kube/transport/status_error.h"

namespace coppice::server {
namespace {

base::Error Refusal(const std::string& webhook, const json::Value& status) {
  std::string why = status["message"].ToString();
  if (why.empty()) why = status["reason"].ToString();
  const std::string message =
      why.empty()
          ? fmt::format("admission webhook \"{}\" denied the request without explanation", webhook)
          : fmt::format("admission webhook \"{}\" denied the request: {}", webhook, why);
  const int64_t code = status["code"].AsInt();
  std::vector<base::FieldCause> causes;
  for (const json::Value& cause : status["details"]["causes"].Items()) {
    causes.push_back(
        {cause["reason"].ToString(), cause["field"].ToString(), cause["message"].ToString()});
  }
  return base::Error(code >= 400 ? kube::CodeFromHttp(static_cast<int>(code))
                                 : base::ErrorCode::kInvalidArgument,
                     message)
      .WithCauses(std::move(causes));
}

base::Error InvalidAnswer(std::string why) {
  return base::Unavailable("received invalid webhook response: " + std::move(why));
}

base::Status CheckType(const json::Value& response, const char* field, bool fits,
                       const char* type) {
  const json::Value& value = response[field];
  if (value.IsNull() || fits) return {};
  const char* const given = value.IsNumber()   ? "number"
                            : value.IsString() ? "string"
                            : value.IsBool()   ? "bool"
                            : value.IsArray()  ? "array"
                                               : "object";
  return base::Unavailable(
      fmt::format("failed to call webhook: json: cannot unmarshal {} into Go struct field "
                  "AdmissionResponse.response.{} of type {}",
                  given, field, type));
}

base::Status CheckTypes(const json::Value& response) {
  for (const auto& [field, type] : {std::pair{"uid", "types.UID"}, std::pair{"patch", "[]uint8"},
                                    std::pair{"patchType", "v1.PatchType"}}) {
    COPPICE_TRY(CheckType(response, field, response[field].IsString(), type));
  }
  COPPICE_TRY(CheckType(response, "status", response["status"].IsObject(), "v1.Status"));
  return CheckType(response, "allowed", response["allowed"].IsBool(), "bool");
}

// It must be of the kind that was sent, and about that request.
base::Status CheckEnvelope(const std::string& uid, const json::Value& review) {
  const std::string_view version = review["apiVersion"].AsString(),
                         kind = review["kind"].AsString();
  if (!kind.empty() && kind != "AdmissionReview") {
    return base::Unavailable(
        fmt::format("failed to call webhook: no kind {} is registered for version {}",
                    api::Quoted(kind), api::Quoted(version)));
  }
  const json::Value& response = review["response"];
  if (!response.IsObject()) return InvalidAnswer("webhook response was absent");
  COPPICE_TRY(CheckTypes(response));
  if (response["uid"].AsString() != uid) {
    return InvalidAnswer(fmt::format("expected response.uid={}, got {}", api::Quoted(uid),
                                     api::Quoted(response["uid"].AsString())));
  }
  if (version == "admission.k8s.io/v1" && !kind.empty()) return {};
  return InvalidAnswer(fmt::format(
      "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {}{}, Kind={}",
      version.find('/') == std::string_view::npos ? "/" : "", version, kind));
}

base::Status CheckPatchFields(bool mutating, const json::Value& response) {
  const bool patch = !response["patch"].AsString().empty();
  const bool type = response["patchType"].IsString();
  if (!mutating && patch) {
    return InvalidAnswer("validating webhook may not return response.patch");
  }
  if (!mutating && type) {
    return InvalidAnswer("validating webhook may not return response.patchType");
  }
  if (patch && !type) {
    return InvalidAnswer("webhook returned response.patch but not response.patchType");
  }
  if (!patch && type) {
    return InvalidAnswer("webhook returned response.patchType but not response.patch");
  }
  if (type && response["patchType"].AsString().empty()) {
    return InvalidAnswer("webhook returned invalid response.patchType of \"\"");
  }
  return {};
}

base::Result<json::Value> ReadPatch(const json::Value& response) {
  if (response["patch"].AsString().empty()) return json::Value();
  const auto bytes = base::Base64Decode(response["patch"].AsString());
  if (!bytes) return base::Unavailable("failed to call webhook: " + bytes.error().message());
  const base::Result<json::Value> patch = json::Parse(*bytes);
  if (!patch || !patch->IsArray()) {
    return base::Unavailable("received undecodable patch in webhook response: " +
                             (patch ? "it is not a list of operations" : patch.error().message()));
  }
  if (response["patchType"].AsString() == "JSONPatch") return patch;
  return base::Unavailable(
      fmt::format("unsupported patch type {}", api::Quoted(response["patchType"].AsString())));
}

}  // namespace

base::Result<Verdict> ReadReview(const std::string& webhook, const std::string& uid, bool mutating,
                                 const json::Value& review) {
  COPPICE_TRY(CheckEnvelope(uid, review));
  const json::Value& response = review["response"];
  COPPICE_TRY(CheckPatchFields(mutating, response));
  Verdict verdict;
  for (const json::Value& warning : response["warnings"].Items()) {
    verdict.warnings.push_back(warning.ToString());
  }
  for (const json::Member& note : response["auditAnnotations"].Members()) {
    verdict.annotations.emplace_back(note.name(), note.value.ToString());
  }
  if (!response["allowed"].AsBool()) {
    verdict.refusal = Refusal(webhook, response["status"]);
    return verdict;
  }
  COPPICE_ASSIGN(verdict.patch, ReadPatch(response));
  return verdict;
}

}  // namespace coppice::server
