#include "server/auth/token_secrets.h"

#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"
#include "server/auth/tokens.h"
#include "server/base64.h"

namespace coppice::server {
namespace {

constexpr int64_t kForever = int64_t{1} << 32;  // Seconds: longer than any machine.

base::Result<std::string> TokenFor(Core& core, const json::Value& secret) {
  const Request request{.served = core.registry()->Find(api::kServiceAccounts),
                        .ns = std::string(kube::Namespace(secret)),
                        .name = std::string(kube::Annotation(secret, kTokenSecretAccount)),
                        .user = User::Admin()};
  json::Value body = json::Value::Object();
  body.Mutable("spec").Set("expirationSeconds", kForever);
  body.Mutable("spec").Set("boundObjectRef", json::Value::Object({{"kind", "Secret"},
                                                                  {"name", kube::Name(secret)},
                                                                  {"uid", kube::Uid(secret)}}));
  COPPICE_ASSIGN(const Outcome answer, RequestToken(core, request, body));
  return answer.object["status"]["token"].ToString();
}

}  // namespace

void FillTokenSecret(Core& core, const json::Value& secret) {
  if (!core.fills_token_secrets()) return;
  if (secret["type"].AsString() != kTokenSecretType || secret["data"].Has("token")) return;
  const std::string ns(kube::Namespace(secret));
  const std::string account(kube::Annotation(secret, kTokenSecretAccount));
  const store::VersionPtr found = core.store().Get("/serviceaccounts", ns + "/" + account);
  const base::Result<std::string> token = TokenFor(core, secret);
  if (!found || !token) {
    base::LogWarn("a token secret cannot be filled",
                  {{"namespace", ns}, {"name", kube::Name(secret)}, {"account", account}});
    return;
  }
  const Request request{.served = core.registry()->Find(api::kSecrets),
                        .ns = ns,
                        .name = std::string(kube::Name(secret)),
                        .user = User::Admin()};
  const auto filled = core.ModifyQuietly(request, [&](const json::Value& current) {
    json::Value next = current;
    next.Mutable("metadata")
        .Mutable("annotations")
        .Set("kubernetes.io/service-account.uid", kube::Uid(found->value()));
    json::Value& data = next.Mutable("data");
    data.Set("token", EncodeBase64(*token)).Set("namespace", EncodeBase64(ns));
    data.Set("ca.crt", EncodeBase64(core.ca_certificate()));
    return base::Result<json::Value>(std::move(next));
  });
  if (!filled) base::LogWarn("a token secret cannot be written", {{"namespace", ns}});
}

}  // namespace coppice::server
