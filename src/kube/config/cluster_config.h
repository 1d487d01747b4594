#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/client/client.h"

namespace coppice::kube {

// Credentials at one point in time. Secrets: never log them.
struct Credential {
  std::string authorization;  // The header's value; "" sends none.
  // A client certificate that came with it, instead of a fixed one.
  std::string certificate_pem;
  std::string key_pem;

  friend bool operator==(const Credential&, const Credential&) = default;
};

// Where credentials come from that change while the process runs: token files, exec plugins.
// Thread-safe.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // The current one, cached while it is valid.
  virtual base::Result<Credential> Get() = 0;
  // The server refused what Get returned: get a fresh one next time.
  virtual void Invalidate() {}
};

// How to reach one cluster as one user.
struct ClusterConfig {
  std::string server;  // "https://10.0.0.1:6443", perhaps with a path.
  std::string ns = "default";
  std::string proxy_url;
  http::ClientTls tls;
  std::shared_ptr<CredentialSource> credentials;  // Null: anonymous, or by client certificate.
  http::Headers impersonation;                    // User to impersonate, if any.
};

}  // namespace coppice::kube
