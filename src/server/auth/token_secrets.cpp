#include "server/auth/token_secrets.h"

#include "api/well_known.h"
#include "base/base64.h"
#include "base/log.h"
#include "kube/object.h"
#include "server/auth/tokens.h"

namespace coppice::server {
namespace {

constexpr int64_t kForever = int64_t{1} << 32;  // Seconds: longer than any machine.

base::Result<std::string> TokenFor(Core& core, const json::Value& account,
                                   const json::Value& secret) {
  json::Value spec = json::Value::Object({{"expirationSeconds", kForever}});
  spec.Set("boundObjectRef",
           json::Value::Object(
               {{"kind", "Secret"}, {"name", kube::Name(secret)}, {"uid", kube::Uid(secret)}}));
  return MakeToken(core, account, spec);
}

}  // namespace

void FillTokenSecret(Core& core, const json::Value& secret) {
  if (!core.fills_token_secrets()) return;
  if (secret["type"].AsString() != kTokenSecretType || secret["data"].Has("token")) return;
  const std::string ns(kube::Namespace(secret));
  const std::string account(kube::Annotation(secret, kTokenSecretAccount));
  const store::VersionPtr found = core.store().Get("/serviceaccounts", ns + "/" + account);
  const auto token =
      found ? TokenFor(core, found->value(), secret)
            : base::Result<std::string>(base::NotFound("there is no such service account"));
  if (!token) {
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
    data.Set("token", base::Base64Encode(*token)).Set("namespace", base::Base64Encode(ns));
    data.Set("ca.crt", base::Base64Encode(core.ca_certificate()));
    return base::Result<json::Value>(std::move(next));
  });
  if (!filled) base::LogWarn("a token secret cannot be written", {{"namespace", ns}});
}

}  // namespace coppice::server
