#include "server/auth/tokens.h"

#include <algorithm>

#include "api/schema/field_error.h"
#include "api/well_known.h"
#include "json/strings.h"
#include "kube/object.h"
#include "server/errors.h"
#include "server/pki.h"

namespace coppice::server {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

constexpr int64_t kDefaultExpiration = 3600;
constexpr int64_t kShortestExpiration = 600;
constexpr int64_t kLongestExpiration = int64_t{1} << 32;

base::Error Unauthorized(std::string why) {
  return {base::ErrorCode::kUnauthorized, std::move(why)};
}

int64_t Unix(base::Time time) { return duration_cast<seconds>(time.time_since_epoch()).count(); }

base::Status CheckSpec(const json::Value& spec) {
  const int64_t wanted = spec["expirationSeconds"].AsInt(kDefaultExpiration);
  Causes causes;
  if (wanted < kShortestExpiration) {
    causes.push_back(api::InvalidField("spec.expirationSeconds", wanted,
                                       "may not specify a duration less than 10 minutes"));
  }
  if (wanted > kLongestExpiration) {
    causes.push_back(api::InvalidField("spec.expirationSeconds", wanted,
                                       "may not specify a duration larger than 2^32 seconds"));
  }
  if (causes.empty()) return {};
  return api::InvalidObject({"authentication.k8s.io", "v1", "tokenrequests", "TokenRequest", true},
                            "", std::move(causes));
}

// The object a token dies with, as it goes into the token.
base::Result<json::Value> BoundObject(Core& core, const Request& request, const json::Value& ref) {
  const std::string kind = ref["kind"].ToString();
  const char* plural = kind == "Pod"      ? "pods"
                       : kind == "Secret" ? "secrets"
                       : kind == "Node"   ? "nodes"
                                          : "";
  if (*plural == 0)
    return BadRequest("cannot bind token for serviceaccount to object type " + kind);
  const ServedPtr served = core.registry()->Find("", "v1", plural);
  const std::string name = ref["name"].ToString();
  const store::VersionPtr object =
      core.store().Get(served->storage, served->NameOf(request.ns, name));
  if (!object) return ObjectNotFound(served->resource, name);
  const std::string_view uid = ref["uid"].AsString();
  if (!uid.empty() && uid != kube::Uid(object->value())) {
    return WriteConflict(served->resource, name,
                         "the UID in the bound object reference (" + std::string(uid) +
                             ") does not match the UID in record. The object might have been "
                             "deleted and then recreated");
  }
  return json::Value::Object({{"name", name}, {"uid", kube::Uid(object->value())}});
}

base::Status CheckBound(Core& core, const json::Value& claims, const std::string& ns) {
  for (const auto& [key, plural] : {std::pair{"pod", "pods"}, std::pair{"secret", "secrets"}}) {
    if (!claims.Has(key)) continue;
    const store::VersionPtr object =
        core.store().Get(std::string("/") + plural, ns + "/" + claims[key]["name"].ToString());
    if (!object || kube::Uid(object->value()) != claims[key]["uid"].AsString()) {
      return Unauthorized("service account token has been invalidated");
    }
  }
  return {};
}

}  // namespace

base::Result<Outcome> RequestToken(Core& core, const Request& request, const json::Value& body) {
  Request account = request;
  account.subresource = "";
  COPPICE_ASSIGN(const Outcome found, core.Get(account));
  COPPICE_TRY(CheckSpec(body["spec"]));
  const int64_t lifetime = body["spec"]["expirationSeconds"].AsInt(kDefaultExpiration);
  const base::Time now = core.clock().Now();
  json::Value audiences = body["spec"]["audiences"];
  if (audiences.empty()) audiences = json::Value::Array({kTokenIssuer});
  json::Value about = json::Value::Object({{"namespace", request.ns}});
  about.Set("serviceaccount",
            json::Value::Object({{"name", request.name}, {"uid", kube::Uid(found.object)}}));
  if (const json::Value& ref = body["spec"]["boundObjectRef"]; ref.IsObject()) {
    COPPICE_ASSIGN(json::Value bound, BoundObject(core, request, ref));
    std::string key = ref["kind"].ToString();
    key[0] = static_cast<char>(std::tolower(key[0]));
    about.Set(key, std::move(bound));
  }
  COPPICE_ASSIGN(const std::shared_ptr<const Pki> pki, core.pki());
  COPPICE_ASSIGN(const std::string token,
                 pki->token_key().Sign(json::Value::Object(
                     {{"iss", kTokenIssuer},
                      {"sub", "system:serviceaccount:" + request.ns + ":" + request.name},
                      {"aud", audiences},
                      {"iat", Unix(now)},
                      {"nbf", Unix(now)},
                      {"exp", Unix(now) + lifetime},
                      {"jti", core.ids().Uid()},
                      {"kubernetes.io", std::move(about)}})));
  json::Value answer = body;
  answer.SetDefault("apiVersion", "authentication.k8s.io/v1");
  answer.SetDefault("kind", "TokenRequest");
  json::Value metadata = json::Value::Object();
  for (const char* field : {"name", "namespace", "uid"}) {
    metadata.Set(field, found.object["metadata"][field]);
  }
  metadata.Set("creationTimestamp", base::FormatRfc3339(now));
  answer.Set("metadata", std::move(metadata));
  answer.Mutable("spec").SetDefault("boundObjectRef", json::Value());
  answer.Mutable("spec").Set("audiences", audiences);
  answer.Mutable("spec").Set("expirationSeconds", lifetime);
  answer.Set(
      "status",
      json::Value::Object({{"token", token},
                           {"expirationTimestamp", base::FormatRfc3339(now + seconds(lifetime))}}));
  return Outcome{std::move(answer), nullptr, true};
}

base::Result<VerifiedToken> VerifyToken(Core& core, const std::string& token,
                                        const std::vector<std::string>& audiences) {
  COPPICE_ASSIGN(const std::shared_ptr<const Pki> pki, core.pki());
  COPPICE_ASSIGN(const json::Value claims, pki->token_key().Verify(token));
  const int64_t now = Unix(core.clock().Now());
  if (claims["iss"].AsString() != kTokenIssuer) return Unauthorized("unknown token issuer");
  if (claims["exp"].AsInt() <= now) return Unauthorized("service account token has expired");
  if (claims["nbf"].AsInt() > now) return Unauthorized("service account token is not valid yet");
  const std::vector<std::string> granted = json::ReadStrings(claims["aud"]);
  const std::vector<std::string> wanted =
      audiences.empty() ? std::vector<std::string>{std::string(kTokenIssuer)} : audiences;
  VerifiedToken verified;
  for (const std::string& audience : wanted) {
    if (std::find(granted.begin(), granted.end(), audience) != granted.end()) {
      verified.audiences.push_back(audience);
    }
  }
  if (verified.audiences.empty()) return Unauthorized("token audiences do not match");
  const json::Value& about = claims["kubernetes.io"];
  const std::string ns = about["namespace"].ToString();
  const std::string name = about["serviceaccount"]["name"].ToString();
  const store::VersionPtr account = core.store().Get("/serviceaccounts", ns + "/" + name);
  if (!account || kube::Uid(account->value()) != about["serviceaccount"]["uid"].AsString()) {
    return Unauthorized("service account token has been invalidated");
  }
  COPPICE_TRY(CheckBound(core, about, ns));
  verified.user = User::ServiceAccount(ns, name);
  verified.user.uid = kube::Uid(account->value());
  if (about.Has("pod")) {
    verified.user.extra["authentication.kubernetes.io/pod-name"] = {
        about["pod"]["name"].ToString()};
    verified.user.extra["authentication.kubernetes.io/pod-uid"] = {about["pod"]["uid"].ToString()};
  }
  verified.user.extra["authentication.kubernetes.io/credential-id"] = {"JTI=" +
                                                                       claims["jti"].ToString()};
  return verified;
}

}  // namespace coppice::server
