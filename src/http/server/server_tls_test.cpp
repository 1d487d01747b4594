#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using ::testing::StartsWith;
using testing::TestHandler;

class TlsServerTest : public ::testing::Test {
 protected:
  void SetUp() override { server_ = *Server::Start({.tls = testing::TestServerTls()}, handler_); }
  Exchange Who(ClientTls tls, std::string url = {}) {
    const auto client = *ClientTransport::Make({.tls = std::move(tls), .proxy_url = "none"});
    return client->Send({.url = (url.empty() ? server_->Url() : url) + "/who"});
  }
  TestHandler handler_;
  std::unique_ptr<Server> server_;
};

TEST_F(TlsServerTest, ReadsClientCertificates) {
  EXPECT_EQ(Who(testing::TestClientTls(true)).response->BodyView(),
            "true true alice admins,people");
  EXPECT_THAT(std::string(Who(testing::TestClientTls(false)).response->BodyView()),
              StartsWith("false false"));
}

TEST_F(TlsServerTest, TellsForeignCertificatesFromItsOwn) {
  ClientTls tls = testing::TestClientTls();
  tls.certificate_pem = testing::TestCertificates::Get().stranger.certificate_pem;
  tls.key_pem = testing::TestCertificates::Get().stranger.key_pem;
  EXPECT_THAT(std::string(Who(tls).response->BodyView()), StartsWith("true false"));
}

TEST_F(TlsServerTest, ClientChecksTheServer) {
  // A machine without certificates of its own says that it has none.
  const auto unknown = Who({}).response;
  EXPECT_TRUE(unknown.Is(base::ErrorCode::kUnauthorized) ||
              unknown.Is(base::ErrorCode::kInvalidArgument));
  EXPECT_TRUE(Who({.insecure_skip_verify = true}).response);
  ClientTls named = testing::TestClientTls();
  named.server_name = "localhost";
  EXPECT_TRUE(Who(named).response) << Who(named).response.error().ToString();
  named.server_name = "elsewhere";
  EXPECT_FALSE(Who(named).response);
}

// Whatever the handshake would have to hold of a certificate, before anybody looks at it.
TEST_F(TlsServerTest, RefusesHugeCertificates) {
  const testing::TestCertificates& made = testing::TestCertificates::Get();
  const auto with_groups = [&](size_t count) {
    const base::Time now = base::RealClock().Now();
    CertificateRequest request{.common_name = "alice", .client = true, .not_before = now};
    request.organizations.assign(count, std::string(60, 'g'));
    const KeyPair pair = *IssueCertificate(made.authority, request);
    ClientTls tls = testing::TestClientTls();
    tls.certificate_pem = pair.certificate_pem;
    tls.key_pem = pair.key_pem;
    return tls;
  };
  EXPECT_TRUE(Who(with_groups(100)).response);
  EXPECT_FALSE(Who(with_groups(kMaxClientCertificateBytes / 60)).response);
}

TEST_F(TlsServerTest, CutsSlowHandshakes) {
  server_ = *Server::Start(
      {.tls = testing::TestServerTls(), .handshake_timeout = std::chrono::milliseconds(50)},
      handler_);
  testing::RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send(std::string("\x16\x03\x01\x02\x00\x01", 6)));
  EXPECT_EQ(connection.ReadAll(), "");
  EXPECT_EQ(handler_.count(), 0);
}

// A hello that never ends.
TEST_F(TlsServerTest, AHandshakeHoldsLittle) {
  testing::RawConnection connection(server_->port());
  const std::string record("\x16\x03\x01\x40\x00", 5);
  ASSERT_TRUE(connection.Send(record + std::string("\x01\xff\xff\xff\x03\x03", 6) +
                              std::string((16 << 10) - 6, 'h')));
  EXPECT_LT(connection.Flood(record + std::string(16 << 10, 'h'), 64 << 20), 1u << 20);
}

}  // namespace
}  // namespace coppice::http
