#include "server/auth/tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/errors/field_error.h"
#include "api/well_known.h"
#include "json/strings.h"
#include "kube/object.h"
#include "server/auth/bound_objects.h"
#include "server/core/admission_request.h"
#include "server/model/errors.h"
#include "server/model/pki.h"

namespace coppice::server {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

constexpr int64_t kDefaultExpiration = 3600;
constexpr int64_t kShortestExpiration = 600;
constexpr int64_t kLongestExpiration = int64_t{1} << 32;
const api::Resource kTokenRequests{"authentication.k8s.io", "v1", "tokenrequests", "TokenRequest",
                                   true};

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
  return api::InvalidObject(kTokenRequests, "", std::move(causes));
}

base::Status CheckRequestedName(const Request& request, const json::Value& given) {
  const std::string_view name = kube::Name(given);
  if (name.empty() || name == request.name) return {};
  Causes causes{
      api::InvalidField("metadata.name", name, "must match the service account name if specified")};
  return api::InvalidObject(kTokenRequests, request.name, std::move(causes));
}

// Who asks for a token by an account's uid means that account, not a later one of its name.
base::Status CheckAccountUid(const Request& request, const json::Value& given,
                             const json::Value& account) {
  const std::string_view uid = kube::Uid(given);
  if (uid.empty() || uid == kube::Uid(account)) return {};
  return WriteConflict({kTokenRequests.group, "v1", "TokenRequest", "TokenRequest", true},
                       request.name,
                       fmt::format("the UID in the token request ({}) does not match the UID of "
                                   "the service account ({})",
                                   uid, kube::Uid(account)));
}

json::Value AudiencesOf(const json::Value& spec) {
  return spec["audiences"].empty() ? json::Value::Array({kTokenIssuer}) : spec["audiences"];
}

// The account as its token's holder is known by.
User UserOfClaims(const json::Value& claims) {
  const json::Value& about = claims["kubernetes.io"];
  const json::Value& account = about["serviceaccount"];
  User user = User::ServiceAccount(about["namespace"].ToString(), account["name"].ToString());
  user.uid = account["uid"].ToString();
  const auto tell = [&user](const char* key, const json::Value& value) {
    if (value.AsString().empty()) return;
    user.extra[fmt::format("authentication.kubernetes.io/{}", key)] = {value.ToString()};
  };
  for (const char* object : {"pod", "node"}) {
    tell(fmt::format("{}-name", object).c_str(), about[object]["name"]);
    tell(fmt::format("{}-uid", object).c_str(), about[object]["uid"]);
  }
  tell("credential-id", "JTI=" + claims["jti"].ToString());
  return user;
}

}  // namespace

base::Result<std::string> MakeToken(Core& core, const json::Value& account,
                                    const json::Value& spec) {
  const std::string ns(kube::Namespace(account)), name(kube::Name(account));
  json::Value about = json::Value::Object({{"namespace", ns}});
  about.Set("serviceaccount", json::Value::Object({{"name", name}, {"uid", kube::Uid(account)}}));
  if (const json::Value& ref = spec["boundObjectRef"]; ref.IsObject()) {
    COPPICE_TRY(BindClaims(core, {ns, name}, ref, about));
  }
  const int64_t now = Unix(core.clock().Now());
  COPPICE_ASSIGN(const std::shared_ptr<const Pki> pki, core.pki());
  return pki->token_key().Sign(
      json::Value::Object({{"iss", kTokenIssuer},
                           {"sub", User::ServiceAccount(ns, name).name},
                           {"aud", AudiencesOf(spec)},
                           {"iat", now},
                           {"nbf", now},
                           {"exp", now + spec["expirationSeconds"].AsInt(kDefaultExpiration)},
                           {"jti", core.ids().Uid()},
                           {"kubernetes.io", std::move(about)}}));
}

base::Result<Outcome> RequestToken(Core& core, const Request& request, const json::Value& body) {
  COPPICE_TRY(CheckRequestedName(request, body));
  Request account = request;
  account.subresource = "";
  COPPICE_ASSIGN(const Outcome found, core.Get(account));
  COPPICE_TRY(CheckAccountUid(request, body, found.object));
  COPPICE_TRY(CheckSpec(body["spec"]));
  COPPICE_TRY(AdmitSubresource(core, request, body));
  COPPICE_ASSIGN(const std::string token, MakeToken(core, found.object, body["spec"]));
  const int64_t lifetime = body["spec"]["expirationSeconds"].AsInt(kDefaultExpiration);
  const base::Time now = core.clock().Now();
  json::Value answer = body;
  json::Value metadata = json::Value::Object();
  for (const char* field : {"name", "namespace", "uid"}) {
    metadata.Set(field, found.object["metadata"][field]);
  }
  metadata.Set("creationTimestamp", base::FormatRfc3339(now));
  answer.Set("metadata", std::move(metadata));
  answer.Mutable("spec").SetDefault("boundObjectRef", json::Value());
  answer.Mutable("spec").Set("audiences", AudiencesOf(body["spec"]));
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
  COPPICE_TRY(CheckClaims(core, claims["kubernetes.io"]));
  verified.user = UserOfClaims(claims);
  return verified;
}

}  // namespace coppice::server
