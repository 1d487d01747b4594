#include "kube/process/webhook_server.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "http/client/client.h"
#include "http/crypto/tls.h"
#include "json/parse.h"
#include "kube/executor/stepper.h"

namespace coppice::kube {
namespace {

class WebhookServerTest : public ::testing::Test {
 protected:
  WebhookServerTest() {
    char name[] = "/tmp/coppice-webhook-XXXXXX";
    folder = mkdtemp(name);
  }
  ~WebhookServerTest() override {
    server.reset();
    std::filesystem::remove_all(folder);
  }

  std::string NewCertificate() {
    const auto pair = http::MakeSelfSignedCertificate("hooks.ns.svc", base::RealClock().Now(),
                                                      std::chrono::hours(24));
    EXPECT_TRUE(pair);
    EXPECT_TRUE(http::SaveKeyPair(*pair, folder, "tls"));
    return pair->certificate_pem;
  }

  void Start() {
    server = WebhookServer::Make(
        stepper, {.address = "127.0.0.1", .port = 0, .certificates = folder},
        [](std::string_view path, const json::Value& review) -> base::Result<json::Value> {
          if (path != "/echo") return base::NotFound("no such webhook");
          return review;
        });
    ASSERT_TRUE(server->Start());
  }

  // One that trusts this certificate alone.
  base::Result<http::Response> Post(const std::string& ca, const std::string& path,
                                    const std::string& body) {
    auto transport =
        http::ClientTransport::Make({.tls = {.ca_pem = ca, .server_name = "hooks.ns.svc"}});
    EXPECT_TRUE(transport);
    return (*transport)
        ->Send({.method = "POST",
                .url = fmt::format("https://127.0.0.1:{}{}", server->port(), path),
                .body = body})
        .response;
  }

  std::string folder;
  Stepper stepper{1};
  std::unique_ptr<WebhookServer> server;
};

TEST_F(WebhookServerTest, AnswersReviews) {
  const std::string ca = NewCertificate();
  Start();
  const auto answer = Post(ca, "/echo", R"({"request":{"uid":"a"}})");
  ASSERT_TRUE(answer) << answer.error().ToString();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ((*json::Parse(answer->BodyView()))["request"]["uid"].AsString(), "a");
  EXPECT_EQ(Post(ca, "/other", "{}")->status, 404);
  EXPECT_NE(Post(ca, "/echo", "no JSON")->status, 200);
}

TEST_F(WebhookServerTest, WaitsForItsCertificate) {
  Start();
  EXPECT_FALSE(server->Listening());
  const std::string ca = NewCertificate();
  stepper.RunFor(std::chrono::seconds(3));
  ASSERT_TRUE(server->Listening());
  EXPECT_TRUE(Post(ca, "/echo", "{}").ok());
}

TEST_F(WebhookServerTest, ServesANewCertificateWithoutRestart) {
  const std::string first = NewCertificate();
  Start();
  ASSERT_TRUE(Post(first, "/echo", "{}").ok());
  const std::string second = NewCertificate();
  stepper.RunFor(std::chrono::seconds(3));
  EXPECT_TRUE(Post(second, "/echo", "{}").ok());
  EXPECT_FALSE(Post(first, "/echo", "{}").ok());
}

}  // namespace
}  // namespace coppice::kube
