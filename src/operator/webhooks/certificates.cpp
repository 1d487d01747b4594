#include "operator/webhooks/certificates.h"

#include <algorithm>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/base64.h"
#include "base/files.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::webhooks {
namespace {

using json::Value;

// Keys of the Secret's data.
constexpr std::string_view kCertificate = "tls.crt";
constexpr std::string_view kPrivateKey = "tls.key";
constexpr std::string_view kAuthority = "ca.crt";

constexpr base::Duration kValidity = std::chrono::hours(24 * 365);

std::string Decoded(const Value& secret, std::string_view key) {
  return base::Base64Decode(view::core::Secret(secret).data()[key]).value_or("");
}

ServingCertificate ReadSecret(const Value& secret) {
  return {.server = {.certificate_pem = Decoded(secret, kCertificate),
                     .key_pem = Decoded(secret, kPrivateKey)},
          .ca_pem = Decoded(secret, kAuthority)};
}

bool IsUsable(const ServingCertificate& certificate, const std::vector<std::string>& hosts,
              base::Time now) {
  if (certificate.server.key_pem.empty() || certificate.ca_pem.empty()) return false;
  const auto info = http::ReadCertificate(certificate.server.certificate_pem);
  if (!info) return false;
  const base::Duration life = info->not_after - info->not_before;
  if (now < info->not_before || now > info->not_after - life / 3) return false;
  return std::all_of(hosts.begin(), hosts.end(), [&](const std::string& host) {
    return std::find(info->hosts.begin(), info->hosts.end(), host) != info->hosts.end();
  });
}

base::Result<ServingCertificate> Generate(const std::vector<std::string>& hosts, base::Time now) {
  // Clocks differ slightly between machines.
  const base::Time from = now - std::chrono::hours(1);
  COPPICE_ASSIGN(const http::KeyPair ca,
                 http::MakeCertificateAuthority("Grove-CA", from, kValidity));
  ServingCertificate made{.server = {}, .ca_pem = ca.certificate_pem};
  COPPICE_ASSIGN(made.server, http::IssueCertificate(ca, {.common_name = hosts.front(),
                                                          .organizations = {"Grove"},
                                                          .hosts = hosts,
                                                          .server = true,
                                                          .not_before = from,
                                                          .validity = kValidity}));
  return made;
}

void Fill(const ServingCertificate& certificate, Value& secret) {
  const edit::core::Secret edit(secret);
  // An existing secret belongs to a chart and has its labels.
  if (kube::Uid(secret).empty()) {
    edit.set_type("kubernetes.io/tls")
        .metadata()
        .labels()
        .Set(labels::kManagedBy, labels::kOperator)
        .Set(labels::kComponent, "webhook")
        .Set(labels::kPartOf, "grove");
  }
  edit.data()
      .Set(kCertificate, base::Base64Encode(certificate.server.certificate_pem))
      .Set(kPrivateKey, base::Base64Encode(certificate.server.key_pem))
      .Set(kAuthority, base::Base64Encode(certificate.ca_pem));
}

}  // namespace

std::vector<std::string> ServiceHosts(const std::string& ns) {
  const std::string service = "grove-operator";
  return {service + "." + ns + ".svc", service, service + "." + ns,
          service + "." + ns + ".svc.cluster.local"};
}

base::Result<ServingCertificate> EnsureCertificate(kube::Client& client, const api::ObjectKey& key,
                                                   const std::vector<std::string>& hosts,
                                                   base::Time now) {
  ServingCertificate result;
  COPPICE_TRY(
      kube::CreateOrPatch(client, api::kSecrets, key, nullptr, [&](Value& secret) -> base::Status {
        result = ReadSecret(secret);
        if (IsUsable(result, hosts, now)) return {};
        COPPICE_ASSIGN(result, Generate(hosts, now));
        Fill(result, secret);
        return {};
      }));
  return result;
}

base::Result<ServingCertificate> LoadCertificate(const std::string& dir) {
  ServingCertificate loaded;
  COPPICE_ASSIGN(loaded.server.certificate_pem, base::ReadFile(dir + "/tls.crt"));
  COPPICE_ASSIGN(loaded.server.key_pem, base::ReadFile(dir + "/tls.key"));
  // Whoever fills the directory may set the CA in the configurations themselves.
  loaded.ca_pem = base::ReadFile(dir + "/ca.crt").value_or("");
  return loaded;
}

}  // namespace coppice::operators::webhooks
