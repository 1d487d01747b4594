#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

// X.509 certificates: enough to run a cluster's own certificate authority. Keys are ECDSA P-256.
namespace coppice::http {

// A certificate and its private key, both PEM. The key is a secret: never log it.
struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations;  // Groups, in a client certificate.
  // Subject alternative names of a server certificate; addresses are recognised as such.
  std::vector<std::string> hosts;
  bool server = false;
  bool client = false;
  base::Time not_before;
  base::Duration validity = std::chrono::hours(24 * 365);
};

// What a certificate says.
struct CertificateInfo {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> hosts;
  base::Time not_before;
  base::Time not_after;
};

// A self-signed authority.
base::Result<KeyPair> MakeCertificateAuthority(std::string_view common_name, base::Time not_before,
                                               base::Duration validity);
// A server's certificate that is its own authority, as KAI's operator makes them: RSA-2048, serial
// number 2019, the key in PKCS#1.
base::Result<KeyPair> MakeSelfSignedCertificate(const std::string& host, base::Time not_before,
                                                base::Duration validity);
// Signed by `authority`, with a random serial number.
base::Result<KeyPair> IssueCertificate(const KeyPair& authority, const CertificateRequest& request);
base::Result<CertificateInfo> ReadCertificate(std::string_view certificate_pem);

// Loads `<dir>/<name>.crt` and `.key`; NotFound if neither exists.
base::Result<KeyPair> LoadKeyPair(const std::string& dir, const std::string& name);
// Writes both, the key readable by its owner only.
base::Status SaveKeyPair(const KeyPair& pair, const std::string& dir, const std::string& name);

}  // namespace coppice::http
