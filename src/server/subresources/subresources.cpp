#include "server/subresources/subresources.h"

#include <fmt/format.h>

#include "api/schema/builtin.h"
#include "api/schema/decode.h"
#include "server/auth/tokens.h"
#include "server/errors.h"
#include "server/subresources/scale.h"
#include "server/write_rules.h"

namespace coppice::server {

bool IsOwnSubresource(const Request& request) {
  return !request.subresource.empty() && request.subresource != "status" &&
         request.subresource != "ephemeralcontainers" && request.subresource != "resize" &&
         request.subresource != "finalize" && request.subresource != "approval";
}

namespace {

// The body is of a kind of its own, and read as such.
base::Status DecodeBody(json::Value& body) {
  const std::string_view kind = body["kind"].AsString();
  const api::Schema* schema = api::BuiltinTypes::For(api::BuiltinTypes::kNewest)
                                  .FindKind(body["apiVersion"].AsString(), kind);
  if (!schema) return {};
  std::vector<std::string> unknown;
  base::Result<json::Value> decoded = api::DecodeBuiltin(*schema, body, &unknown, nullptr);
  if (!decoded) {
    const std::string_view version = body["apiVersion"].AsString();
    return BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind,
                                  version.substr(version.find('/') + 1), kind,
                                  decoded.error().message()));
  }
  body = *std::move(decoded);
  return {};
}

}  // namespace

base::Result<Outcome> CreateSubresource(Core& core, const Request& request, json::Value body) {
  if (!request.served->HasSubresource(request.subresource)) return ResourceUnknown();
  COPPICE_TRY(DecodeBody(body));
  if (request.subresource == "binding") return BindPod(core, request, body);
  if (request.subresource == "eviction") return EvictPod(core, request, body);
  if (request.subresource == "token") return RequestToken(core, request, body);
  return MethodNotAllowed(request.resource(), "create");
}

base::Result<Outcome> UpdateSubresource(Core& core, const Request& request, json::Value body) {
  if (!request.served->HasSubresource(request.subresource)) return ResourceUnknown();
  if (request.subresource == "scale") return UpdateScale(core, request, body);
  return MethodNotAllowed(request.resource(), "update");
}

base::Status AdmitSubresource(Core& core, const Request& request, const json::Value& body) {
  const json::Value none;
  json::Value changed = body;
  const AdmissionRequest admission =
      MakeAdmissionRequest(request, Operation::kCreate, changed, none);
  COPPICE_TRY(core.admission().Mutate(admission, changed));
  return core.admission().Validate(admission);
}

json::Value SuccessStatus(int code) {
  return json::Value::Object({{"apiVersion", "v1"},
                              {"kind", "Status"},
                              {"metadata", json::Value::Object()},
                              {"status", "Success"},
                              {"code", code}});
}

}  // namespace coppice::server
