#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "api/well_known.h"
#include "http/client/client.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "server/api_server.h"
#include "server/front/http_front.h"

// A server whose disk has no room for more.
namespace coppice::server {
namespace {

class FullDiskServer : public testing::Test {
 protected:
  FullDiskServer()
      : dir_(std::filesystem::temp_directory_path() /
             ("coppice-full-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(dir_);
    Start();
  }
  ~FullDiskServer() override {
    End();
    executor_.Stop();
    std::filesystem::remove_all(dir_);
  }

  void Start() {
    server_ = *ApiServer::Make(
        {.clock = &executor_.clock(), .data_dir = dir_.string(), .max_database_bytes = 4 << 20});
    client_ = server_->NewClient(executor_);
    front_ = *HttpFront::Start(*server_, executor_, {.tls = false});
  }
  void End() {
    front_.reset();
    client_.reset();
    server_.reset();
  }
  http::Response Get(const std::string& path) {
    http::Exchange exchange = transport_->Send({.url = front_->Url() + path});
    return exchange.response ? *std::move(exchange.response) : http::Response();
  }
  static json::Value Map(int i) {
    json::Value map = kube::NewObject(api::kConfigMaps, "default", "m" + std::to_string(i));
    map.Mutable("data").Set("text", std::string(200000, 'x'));
    return map;
  }

  const std::filesystem::path dir_;
  kube::ThreadExecutor executor_;
  std::unique_ptr<http::ClientTransport> transport_ =
      *http::ClientTransport::Make({.proxy_url = "none"});
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<HttpFront> front_;
};

TEST_F(FullDiskServer, ReadyzSaysSo) {
  EXPECT_EQ(Get("/readyz").BodyView(), "ok");
  EXPECT_EQ(Get("/readyz?verbose").BodyView(),
            "[+]ping ok\n[+]disk ok\n[+]serving ok\nreadyz check passed\n");
  EXPECT_EQ(Get("/readyz/disk").BodyView(), "ok");
  EXPECT_EQ(Get("/readyz/nothing").status, 404);
  int written = 0;
  while (written < 100 && client_->Create(api::kConfigMaps, Map(written))) ++written;
  ASSERT_LT(written, 100);

  const http::Response full = Get("/readyz");
  EXPECT_EQ(full.status, 500);
  EXPECT_EQ(full.BodyView(),
            "[+]ping ok\n[-]disk failed: making room for more objects: the disk is full\n"
            "[+]serving ok\nreadyz check failed\n");
  EXPECT_EQ(Get("/readyz/disk").status, 500);
  EXPECT_EQ(Get("/readyz?exclude=disk").status, 200);
  EXPECT_EQ(Get("/livez").status, 200) << "a restart would not help";

  End();
  Start();  // It starts all the same.
  EXPECT_FALSE(client_->Create(api::kConfigMaps, Map(written)));
  EXPECT_EQ(Get("/readyz").status, 500);
  for (int i = 0; i < written; ++i) {
    EXPECT_TRUE(client_->Delete(api::kConfigMaps, {"default", "m" + std::to_string(i)})) << i;
  }
  EXPECT_EQ(Get("/readyz").BodyView(), "ok") << "without a write in between";
  EXPECT_TRUE(client_->Create(api::kConfigMaps, Map(0)));
}

}  // namespace
}  // namespace coppice::server
