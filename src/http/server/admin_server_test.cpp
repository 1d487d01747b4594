#include "http/server/admin_server.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/log.h"
#include "http/client/client.h"

namespace coppice::http {
namespace {

class AdminServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    AdminOptions options;
    options.metrics = [] { return std::string("coppice_up 1\n"); };
    options.ready = [this]() -> base::Status {
      if (ready_) return {};
      return base::Unavailable("no list has succeeded yet");
    };
    server_ = *AdminServer::Start(std::move(options));
    client_ = *ClientTransport::Make({.proxy_url = "none"});
  }
  Response Call(std::string method, std::string path, std::string body = "") {
    return *client_
                ->Send({.method = std::move(method),
                        .url = server_->Url() + path,
                        .body = std::move(body)})
                .response;
  }

  std::atomic<bool> ready_ = false;
  std::unique_ptr<AdminServer> server_;
  std::unique_ptr<ClientTransport> client_;
};

TEST_F(AdminServerTest, ServesMetricsAndHealth) {
  EXPECT_EQ(Call("GET", "/metrics").BodyView(), "coppice_up 1\n");
  EXPECT_EQ(Call("GET", "/healthz").status, 200);
  EXPECT_EQ(Call("GET", "/livez").status, 200);
  EXPECT_EQ(Call("GET", "/other").status, 404);
  EXPECT_EQ(Call("POST", "/metrics").status, 405);
}

TEST_F(AdminServerTest, SaysWhyItIsNotReady) {
  EXPECT_EQ(Call("GET", "/readyz").status, 503);
  EXPECT_EQ(Call("GET", "/readyz").BodyView(), "no list has succeeded yet\n");
  ready_ = true;
  EXPECT_EQ(Call("GET", "/readyz").status, 200);
}

TEST_F(AdminServerTest, ChangesTheLogLevel) {
  const base::LogLevel before = base::GetLogLevel();
  EXPECT_EQ(Call("PUT", "/loglevel", "debug\n").status, 200);
  EXPECT_EQ(base::GetLogLevel(), base::LogLevel::kDebug);
  EXPECT_EQ(Call("GET", "/loglevel").BodyView(), "debug\n");
  EXPECT_EQ(Call("PUT", "/loglevel", "loud").status, 400);
  EXPECT_EQ(base::GetLogLevel(), base::LogLevel::kDebug);
  base::SetLogLevel(before);
}

}  // namespace
}  // namespace coppice::http
