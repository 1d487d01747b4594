#include "http/crypto/jwt.h"

#include <openssl/core_names.h>
#include <openssl/rsa.h>

#include "base/base64.h"
#include "http/crypto/crypto.h"
#include "http/crypto/openssl.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::http {
namespace {

using openssl::LastError;

constexpr int kScalarBytes = 32;  // Of P-256.

base::Error BadToken(std::string message) {
  return base::Error(base::ErrorCode::kUnauthorized, std::move(message));
}

// JWT carries r and s side by side; OpenSSL wants DER.
base::Result<std::string> RawFromDer(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const openssl::SignaturePtr signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (!signature) return LastError("reading a signature");
  std::string raw(2 * kScalarBytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kScalarBytes);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kScalarBytes, kScalarBytes);
  return raw;
}

base::Result<std::string> DerFromRaw(std::string_view raw) {
  if (raw.size() != 2 * kScalarBytes) return BadToken("signature of a wrong length");
  const auto* bytes = reinterpret_cast<const unsigned char*>(raw.data());
  const openssl::SignaturePtr signature(ECDSA_SIG_new());
  ECDSA_SIG_set0(signature.get(), BN_bin2bn(bytes, kScalarBytes, nullptr),
                 BN_bin2bn(bytes + kScalarBytes, kScalarBytes, nullptr));
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  std::string out(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

base::Result<std::string> SignDigest(EVP_PKEY* key, std::string_view text) {
  const openssl::DigestPtr context(EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  size_t size = 0;
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1) {
    return LastError("signing a token");
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes, text.size()) != 1) {
    return LastError("signing a token");
  }
  signature.resize(size);
  return signature;
}

bool DigestMatches(EVP_PKEY* key, std::string_view text, std::string_view signature) {
  const openssl::DigestPtr context(EVP_MD_CTX_new());
  const bool matches =
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
      EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                       signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                       text.size()) == 1;
  ERR_clear_error();
  return matches;
}

base::Result<std::string> PublicKeyDer(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size < 0) return LastError("writing a public key");
  std::string out(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

std::string Parameter(EVP_PKEY* key, const char* name, int width) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return "";
  const openssl::BignumPtr owned(number);
  std::string bytes(static_cast<size_t>(width > 0 ? width : BN_num_bytes(number)), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()),
               static_cast<int>(bytes.size()));
  return base::Base64UrlEncode(bytes);
}

base::Result<openssl::PKeyPtr> ReadKey(std::string_view pem) {
  if (pem.find("PUBLIC KEY") == std::string_view::npos) return openssl::PrivateKeyFromPem(pem);
  const openssl::BioPtr bio = openssl::ReadOnly(pem);
  openssl::PKeyPtr key(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  if (!key) return LastError("reading a public key");
  return key;
}

base::Result<std::string> AlgorithmOf(EVP_PKEY* key) {
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA) return std::string("RS256");
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC && EVP_PKEY_get_bits(key) == 256) {
    return std::string("ES256");
  }
  return base::InvalidArgument("a token key must be RSA or ECDSA P-256");
}

}  // namespace

struct JwtKey::Key {
  openssl::PKeyPtr pkey;
};

base::Result<JwtKey> JwtKey::Generate() {
  COPPICE_ASSIGN(openssl::PKeyPtr pkey, openssl::GenerateP256());
  COPPICE_ASSIGN(std::string pem, openssl::PrivateKeyToPem(pkey.get()));
  return FromPem(pem);
}

base::Result<JwtKey> JwtKey::FromPem(std::string_view pem) {
  JwtKey key;
  COPPICE_ASSIGN(openssl::PKeyPtr pkey, ReadKey(pem));
  COPPICE_ASSIGN(key.algorithm_, AlgorithmOf(pkey.get()));
  COPPICE_ASSIGN(std::string der, PublicKeyDer(pkey.get()));
  key.key_id_ = base::Base64UrlEncode(Sha256(der));
  key.key_ = std::make_shared<const Key>(Key{std::move(pkey)});
  return key;
}

base::Result<std::string> JwtKey::PrivatePem() const {
  return openssl::PrivateKeyToPem(key_->pkey.get());
}

base::Result<std::string> JwtKey::PublicPem() const {
  const openssl::BioPtr bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PUBKEY(bio.get(), key_->pkey.get()) != 1) {
    return LastError("writing a public key");
  }
  return openssl::Contents(bio.get());
}

base::Result<json::Value> JwtKey::PublicJwk() const {
  EVP_PKEY* pkey = key_->pkey.get();
  json::Value jwk = json::Value::Object({{"use", "sig"}, {"kid", key_id_}, {"alg", algorithm_}});
  if (algorithm_ == "RS256") {
    jwk.Set("kty", "RSA").Set("n", Parameter(pkey, OSSL_PKEY_PARAM_RSA_N, 0));
    jwk.Set("e", Parameter(pkey, OSSL_PKEY_PARAM_RSA_E, 0));
    return jwk;
  }
  jwk.Set("kty", "EC").Set("crv", "P-256");
  jwk.Set("x", Parameter(pkey, OSSL_PKEY_PARAM_EC_PUB_X, kScalarBytes));
  jwk.Set("y", Parameter(pkey, OSSL_PKEY_PARAM_EC_PUB_Y, kScalarBytes));
  return jwk;
}

base::Result<std::string> JwtKey::Sign(const json::Value& claims) const {
  const json::Value header = json::Value::Object({{"alg", algorithm_}, {"kid", key_id_}});
  const std::string text =
      base::Base64UrlEncode(json::Write(header)) + "." + base::Base64UrlEncode(json::Write(claims));
  COPPICE_ASSIGN(std::string signature, SignDigest(key_->pkey.get(), text));
  if (algorithm_ == "ES256") {
    COPPICE_ASSIGN(signature, RawFromDer(signature));
  }
  return text + "." + base::Base64UrlEncode(signature);
}

base::Result<json::Value> JwtKey::Verify(std::string_view token) const {
  const size_t first = token.find('.');
  const size_t second = token.find('.', first + 1);
  if (first == token.npos || second == token.npos) return BadToken("not a token");
  const auto header_text = base::Base64UrlDecode(token.substr(0, first));
  const auto claims_text = base::Base64UrlDecode(token.substr(first + 1, second - first - 1));
  const auto signature = base::Base64UrlDecode(token.substr(second + 1));
  if (!header_text || !claims_text || !signature) return BadToken("not a token");
  const auto header = json::Parse(*header_text);
  // The key decides the algorithm, never the token.
  if (!header || (*header)["alg"].AsString() != algorithm_) return BadToken("wrong algorithm");
  std::string der = *signature;
  if (algorithm_ == "ES256") {
    COPPICE_ASSIGN(der, DerFromRaw(*signature));
  }
  if (!DigestMatches(key_->pkey.get(), token.substr(0, second), der)) {
    return BadToken("wrong signature");
  }
  auto claims = json::Parse(*claims_text);
  if (!claims || !claims->IsObject()) return BadToken("claims are not an object");
  return claims;
}

}  // namespace coppice::http
