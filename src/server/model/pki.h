#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/crypto/jwt.h"
#include "http/crypto/tls.h"

namespace coppice::server {

// The cluster's own authority: signs the certificates of servers and clients, and the tokens of
// service accounts. Immutable.
class Pki {
 public:
  // Stored in `dir` (ca.crt, ca.key, sa.key) and created there on first use; "" keeps it in memory.
  static base::Result<std::shared_ptr<const Pki>> Open(const std::string& dir, base::Time now);

  const std::string& ca_pem() const { return ca_.certificate_pem; }
  const http::JwtKey& token_key() const { return token_key_; }

  base::Result<http::KeyPair> IssueServer(const std::vector<std::string>& hosts,
                                          base::Time now) const;
  // A client certificate: user and groups.
  base::Result<http::KeyPair> IssueClient(const std::string& user,
                                          const std::vector<std::string>& groups,
                                          base::Time now) const;

 private:
  Pki(http::KeyPair ca, http::JwtKey token_key)
      : ca_(std::move(ca)), token_key_(std::move(token_key)) {}

  const http::KeyPair ca_;
  const http::JwtKey token_key_;
};

}  // namespace coppice::server
