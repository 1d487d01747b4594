#include "http/crypto/jwt.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "http/crypto/openssl.h"

namespace coppice::http {
namespace {

const json::Value kClaims =
    json::Value::Object({{"sub", "system:serviceaccount:default:default"}, {"exp", 1234567890}});

JwtKey RsaKey() {
  const openssl::PKeyPtr key(EVP_RSA_gen(2048));
  return *JwtKey::FromPem(*openssl::PrivateKeyToPem(key.get()));
}

TEST(JwtTest, VerifiesWhatItSigned) {
  for (const JwtKey& key : {*JwtKey::Generate(), RsaKey()}) {
    const auto token = key.Sign(kClaims);
    ASSERT_TRUE(token) << token.error().ToString();
    const auto claims = key.Verify(*token);
    ASSERT_TRUE(claims) << claims.error().ToString();
    EXPECT_EQ(*claims, kClaims);
  }
}

TEST(JwtTest, PublicKeyVerifiesButCannotSign) {
  const JwtKey key = *JwtKey::Generate();
  const JwtKey verifier = *JwtKey::FromPem(*key.PublicPem());
  EXPECT_EQ(verifier.key_id(), key.key_id());
  EXPECT_TRUE(verifier.Verify(*key.Sign(kClaims)));
  EXPECT_FALSE(verifier.Sign(kClaims));
}

TEST(JwtTest, RejectsForeignAndChangedTokens) {
  const JwtKey key = *JwtKey::Generate();
  const std::string token = *key.Sign(kClaims);
  EXPECT_FALSE(JwtKey::Generate()->Verify(token));
  EXPECT_FALSE(RsaKey().Verify(token));
  const size_t dot = token.find('.');
  std::string changed = token.substr(0, dot + 1) + base::Base64UrlEncode("{\"sub\":\"root\"}") +
                        token.substr(token.find('.', dot + 1));
  EXPECT_TRUE(key.Verify(changed).Is(base::ErrorCode::kUnauthorized));
  for (const char* garbage : {"", ".", "..", "a.b", "a.b.c", "!.!.!"}) {
    EXPECT_TRUE(key.Verify(garbage).Is(base::ErrorCode::kUnauthorized)) << garbage;
  }
}

TEST(JwtTest, RefusesUnsignedTokens) {
  const std::string token = base::Base64UrlEncode("{\"alg\":\"none\"}") + "." +
                            base::Base64UrlEncode("{\"sub\":\"root\"}") + ".";
  EXPECT_TRUE(JwtKey::Generate()->Verify(token).Is(base::ErrorCode::kUnauthorized));
}

TEST(JwtTest, SurvivesSavingAndLoading) {
  const JwtKey key = *JwtKey::Generate();
  const JwtKey loaded = *JwtKey::FromPem(*key.PrivatePem());
  EXPECT_TRUE(loaded.Verify(*key.Sign(kClaims)));
  EXPECT_EQ((*loaded.PublicJwk())["crv"].AsString(), "P-256");
  EXPECT_EQ((*loaded.PublicJwk())["x"].AsString().size(), 43u);
}

}  // namespace
}  // namespace coppice::http
