#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server_testing.h"

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

}  // namespace
}  // namespace coppice::http
