#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/crypto/tls.h"
#include "kube/client/client.h"

namespace coppice::operators::webhooks {

// The webhook server's certificate and its CA.
struct ServingCertificate {
  http::KeyPair server;
  std::string ca_pem;

  friend bool operator==(const ServingCertificate& a, const ServingCertificate& b) {
    return a.server.certificate_pem == b.server.certificate_pem && a.ca_pem == b.ca_pem;
  }
};

// The DNS names of the webhook Service.
std::vector<std::string> ServiceHosts(const std::string& ns);

// The certificate in the Secret, which all replicas share. If it is missing, is for other hosts, or
// is in the last third of its lifetime, it is first replaced with a new certificate from a new CA.
// If two replicas do so at once, the first write wins for both.
base::Result<ServingCertificate> EnsureCertificate(kube::Client& client,
                                                   const api::ObjectKey& secret,
                                                   const std::vector<std::string>& hosts,
                                                   base::Time now);

// Loads tls.crt, tls.key and ca.crt from a directory that someone else maintains
// (certProvisionMode: manual).
base::Result<ServingCertificate> LoadCertificate(const std::string& dir);

}  // namespace coppice::operators::webhooks
