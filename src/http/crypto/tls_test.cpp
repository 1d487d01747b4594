#include "http/crypto/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

namespace coppice::http {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;

const base::Time kStart = *base::ParseRfc3339("2026-03-01T00:00:00Z");

TEST(TlsTest, IssuesCertificatesThatSayWhatWasAsked) {
  const auto ca = MakeCertificateAuthority("test-ca", kStart, hours(24));
  ASSERT_TRUE(ca) << ca.error().ToString();
  const auto pair = IssueCertificate(*ca, {.common_name = "admin",
                                           .organizations = {"system:masters", "people"},
                                           .hosts = {"localhost", "127.0.0.1", "::1"},
                                           .server = true,
                                           .client = true,
                                           .not_before = kStart,
                                           .validity = hours(12)});
  ASSERT_TRUE(pair) << pair.error().ToString();
  const auto info = ReadCertificate(pair->certificate_pem);
  ASSERT_TRUE(info) << info.error().ToString();
  EXPECT_EQ(info->common_name, "admin");
  EXPECT_THAT(info->organizations, ElementsAre("system:masters", "people"));
  EXPECT_THAT(info->hosts, ElementsAre("localhost", "127.0.0.1", "::1"));
  EXPECT_EQ(info->not_after, kStart + hours(12));
}

TEST(TlsTest, SelfSignedCertificatesAreTheirOwnAuthority) {
  const auto pair = MakeSelfSignedCertificate("svc.ns.svc", kStart, hours(24));
  ASSERT_TRUE(pair) << pair.error().ToString();
  EXPECT_THAT(pair->key_pem, ::testing::StartsWith("-----BEGIN RSA PRIVATE KEY-----"));
  const auto info = ReadCertificate(pair->certificate_pem);
  ASSERT_TRUE(info) << info.error().ToString();
  EXPECT_EQ(info->common_name, "svc.ns.svc");
  EXPECT_THAT(info->hosts, ElementsAre("svc.ns.svc"));
  EXPECT_EQ(info->not_after, kStart + hours(24));
}

TEST(TlsTest, RefusesHostsThatWouldInjectOtherNames) {
  const auto ca = MakeCertificateAuthority("test-ca", kStart, hours(24));
  ASSERT_TRUE(ca);
  const auto pair = IssueCertificate(
      *ca, {.common_name = "a", .hosts = {"a,DNS:evil.example"}, .not_before = kStart});
  EXPECT_TRUE(pair.Is(base::ErrorCode::kInvalidArgument));
}

TEST(TlsTest, RejectsWhatIsNotACertificate) {
  EXPECT_FALSE(ReadCertificate("hello"));
  EXPECT_FALSE(IssueCertificate({"x", "y"}, {.common_name = "a"}));
}

TEST(TlsTest, SavesKeysReadableByTheirOwnerOnly) {
  char dir[] = "/tmp/coppice_tls_XXXXXX";
  ASSERT_NE(mkdtemp(dir), nullptr);
  EXPECT_TRUE(LoadKeyPair(dir, "ca").Is(base::ErrorCode::kNotFound));
  const auto ca = MakeCertificateAuthority("test-ca", kStart, hours(24));
  ASSERT_TRUE(ca);
  ASSERT_TRUE(SaveKeyPair(*ca, dir, "ca"));
  const auto loaded = LoadKeyPair(dir, "ca");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->certificate_pem, ca->certificate_pem);
  EXPECT_EQ(loaded->key_pem, ca->key_pem);
  struct stat status;
  ASSERT_EQ(stat((std::string(dir) + "/ca.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

}  // namespace
}  // namespace coppice::http
