#include "server/requests/subresources.h"

#include <fmt/format.h>

#include "api/schema/builtin.h"
#include "api/schema/decode.h"
#include "server/auth/tokens.h"
#include "server/model/errors.h"
#include "server/requests/write_rules.h"

namespace coppice::server {

namespace {

// The kind that a subresource takes. "" where there is none to be created.
std::pair<const char*, const char*> CreatedKind(std::string_view subresource) {
  if (subresource == "binding") return {"v1", "Binding"};
  if (subresource == "eviction") return {"policy/v1", "Eviction"};
  if (subresource == "token") return {"authentication.k8s.io/v1", "TokenRequest"};
  return {"", ""};
}

// The body has its own kind and is decoded as such.
base::Status DecodeBody(const Request& request, json::Value& body) {
  if (!body.IsObject()) return BadRequest("the body of the request is not an object");
  const auto [version, kind] = CreatedKind(request.subresource);
  for (const auto& [field, known] : {std::pair{"apiVersion", version}, std::pair{"kind", kind}}) {
    if (body[field].AsString().empty()) body.Set(field, known);
  }
  // Of before Kubernetes 1.22, and the same.
  if (body["apiVersion"].AsString() == "policy/v1beta1") body.Set("apiVersion", "policy/v1");
  if (body["apiVersion"].AsString() != version) {
    return BadRequest(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    body["apiVersion"].AsString(), version));
  }
  if (body["kind"].AsString() != kind) {
    return BadRequest(fmt::format("the kind in the data ({}) does not match the expected kind ({})",
                                  body["kind"].AsString(), kind));
  }
  const api::Schema* schema =
      api::BuiltinTypes::For(api::BuiltinTypes::kNewest).FindKind(version, kind);
  if (!schema) return {};
  std::vector<std::string> unknown;
  base::Result<json::Value> decoded = api::DecodeBuiltin(*schema, body, &unknown, nullptr);
  if (!decoded) {
    const std::string_view text(version);
    return BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind,
                                  text.substr(text.find('/') + 1), kind,
                                  decoded.error().message()));
  }
  body = *std::move(decoded);
  const std::string_view ns = body["metadata"]["namespace"].AsString();
  return ns.empty() || ns == request.ns ? base::Status() : NamespaceMismatch();
}

}  // namespace

base::Result<Outcome> CreateSubresource(Core& core, const Request& request, json::Value body) {
  if (*CreatedKind(request.subresource).second == 0) return MethodNotAllowed();
  COPPICE_TRY(DecodeBody(request, body));
  if (request.subresource == "binding") return BindPod(core, request, body);
  if (request.subresource == "eviction") return EvictPod(core, request, body);
  return RequestToken(core, request, body);
}

json::Value SuccessStatus(int code) {
  return json::Value::Object({{"apiVersion", "v1"},
                              {"kind", "Status"},
                              {"metadata", json::Value::Object()},
                              {"status", "Success"},
                              {"code", code}});
}

}  // namespace coppice::server
