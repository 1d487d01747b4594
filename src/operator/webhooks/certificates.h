#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/crypto/tls.h"
#include "kube/client/client.h"

namespace coppice::operators::webhooks {

// What the webhook server shows, and the CA that vouches for it.
struct ServingCertificate {
  http::KeyPair server;
  std::string ca_pem;

  friend bool operator==(const ServingCertificate& a, const ServingCertificate& b) {
    return a.server.certificate_pem == b.server.certificate_pem && a.ca_pem == b.ca_pem;
  }
};

// The names under which the webhook Service is reached.
std::vector<std::string> ServiceHosts(const std::string& ns);

// The certificate in the Secret, which all replicas share. A missing one, one for other hosts, and
// one whose last third has begun is replaced by a new one of a new CA first. When two replicas do
// so at once, the first to write wins for both.
base::Result<ServingCertificate> EnsureCertificate(kube::Client& client,
                                                   const api::ObjectKey& secret,
                                                   const std::vector<std::string>& hosts,
                                                   base::Time now);

// tls.crt, tls.key and ca.crt of a folder that somebody else fills (certProvisionMode: manual).
base::Result<ServingCertificate> LoadCertificate(const std::string& dir);

}  // namespace coppice::operators::webhooks
