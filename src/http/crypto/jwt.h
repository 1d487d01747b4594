#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace coppice::http {

// A key that signs and checks JSON Web Tokens: ES256 with a P-256 key, RS256 with an RSA key.
// Checks only the signature; the caller checks issuer, audience and expiry. Immutable and
// thread-safe.
class JwtKey {
 public:
  static base::Result<JwtKey> Generate();  // P-256.
  // A private key, or a public one that can only verify.
  static base::Result<JwtKey> FromPem(std::string_view pem);

  base::Result<std::string> PrivatePem() const;
  base::Result<std::string> PublicPem() const;
  // Derived from the public key.
  const std::string& key_id() const { return key_id_; }
  // "ES256" or "RS256".
  const std::string& algorithm() const { return algorithm_; }
  // As published in a JSON Web Key Set.
  base::Result<json::Value> PublicJwk() const;

  base::Result<std::string> Sign(const json::Value& claims) const;
  // The claims. Unauthorized when the token is malformed, of another algorithm, or not signed by
  // this key.
  base::Result<json::Value> Verify(std::string_view token) const;

 private:
  struct Key;
  JwtKey() = default;

  std::shared_ptr<const Key> key_;
  std::string key_id_;
  std::string algorithm_;
};

}  // namespace coppice::http
