#include "server/front/resource_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/executor/stepper.h"
#include "server/api_server.h"

namespace coppice::server {
namespace {

class Writer final : public http::ResponseWriter {
 public:
  explicit Writer(int& status) : status_(status) {}
  void Send(http::Response response) override { status_ = response.status; }
  void Start(int status, http::Headers) override { status_ = status; }
  bool Write(http::Bytes) override { return true; }
  void Finish() override {}
  bool Closed() const override { return false; }
  void OnClosed(std::function<void()>) override {}
  size_t Buffered() const override { return 0; }
  void OnDrained(std::function<void()>) override {}

 private:
  int& status_;
};

class ResourceHandlerTest : public testing::Test {
 protected:
  int Watch() {
    int status = 0;
    Call call{.http = {.method = "GET", .path = "/api/v1/pods"},
              .writer = std::make_shared<Writer>(status),
              .info = RequestInfo::Parse("GET", "/api/v1/pods", http::Query::Parse("watch=1")),
              .user = User::Admin()};
    handler_.Handle(std::move(call));
    return status;
  }

  kube::Stepper stepper_{0};
  std::unique_ptr<ApiServer> server_ = *ApiServer::Make({.clock = &stepper_.clock()});
  ResourceHandler handler_{server_->core(), stepper_};
};

TEST_F(ResourceHandlerTest, AWatchThatComesWhileTheServerStopsIsRefused) {
  EXPECT_EQ(Watch(), 200);
  handler_.Stop();
  EXPECT_EQ(Watch(), 503);
}

}  // namespace
}  // namespace coppice::server
