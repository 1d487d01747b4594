#include "http/client/client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using std::chrono::milliseconds;
using testing::Latch;
using testing::TestHandler;

TEST(ClientTest, TellsWhetherARequestWasSent) {
  TestHandler handler;
  uint16_t port = 0;
  {
    const auto server = *Server::Start({}, handler);
    port = server->port();
  }
  const auto client = *ClientTransport::Make({.proxy_url = "none"});
  const Exchange refused = client->Send({.url = fmt::format("http://127.0.0.1:{}/", port)});
  EXPECT_TRUE(refused.response.Is(base::ErrorCode::kUnavailable));
  EXPECT_FALSE(refused.sent);
}

// Asked once the connection is there, for each request that goes over it.
TEST(ClientTest, AsksOnceMoreRightBeforeItSends) {
  TestHandler handler;
  auto server = *Server::Start({}, handler);
  const auto client = *ClientTransport::Make({.proxy_url = "none"});
  const std::string url = server->Url() + "/echo";
  int asked = 0;
  bool may = true;
  const auto send = [&] {
    return client->Send({.method = "POST", .url = url, .body = "a", .may_send = [&] {
                           ++asked;
                           return may;
                         }});
  };
  EXPECT_TRUE(send().response);
  may = false;
  const Exchange refused = send();
  EXPECT_TRUE(refused.response.Is(base::ErrorCode::kCancelled));
  EXPECT_FALSE(refused.sent);
  may = true;
  EXPECT_TRUE(send().response);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(handler.count(), 2);
  server.reset();
  EXPECT_FALSE(send().response);
  EXPECT_EQ(asked, 3) << "there was no connection to send it over";
}

TEST(ClientTest, TimesOut) {
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  const auto client = *ClientTransport::Make({.proxy_url = "none"});
  const Exchange exchange =
      client->Send({.url = server->Url() + "/hold", .timeout = milliseconds(50)});
  EXPECT_TRUE(exchange.response.Is(base::ErrorCode::kTimeout));
  EXPECT_TRUE(exchange.sent);
}

TEST(ClientTest, CancelsWhatRunsWhenDestroyed) {
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  auto client = *ClientTransport::Make({.proxy_url = "none"});
  auto answer = std::async(std::launch::async, [&, raw = client.get()] {
    return raw->Send({.url = server->Url() + "/hold"});
  });
  const auto writer = handler.TakeHeld();
  ASSERT_TRUE(writer);
  client.reset();
  EXPECT_TRUE(answer.get().response.Is(base::ErrorCode::kCancelled));
}

// What a caller gets is his: requests at once go over connections of their own, and one after the
// other over the same.
TEST(ClientTest, KeepsAConnectionForTheNextRequest) {
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  const auto client = *ClientTransport::Make({.proxy_url = "none"});
  const auto connections = [&] { return server->connections(); };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(client->Send({.url = server->Url() + "/echo"}).response);
  }
  EXPECT_EQ(connections(), 1u);
  auto held = std::async(std::launch::async,
                         [&] { return client->Send({.url = server->Url() + "/hold"}); });
  const auto writer = handler.TakeHeld();
  ASSERT_TRUE(writer);
  EXPECT_TRUE(client->Send({.url = server->Url() + "/echo"}).response);
  EXPECT_EQ(connections(), 2u);
  writer->Start(200, {});
  writer->Finish();
  EXPECT_TRUE(held.get().response);
}

// A server that closed an idle connection meanwhile costs a new one, not the request.
TEST(ClientTest, ConnectsAnewWhenTheServerClosedTheConnection) {
  TestHandler handler;
  auto server = *Server::Start({}, handler);
  const uint16_t port = server->port();
  const auto client = *ClientTransport::Make({.proxy_url = "none"});
  const std::string url = server->Url() + "/echo";
  EXPECT_TRUE(client->Send({.method = "POST", .url = url, .body = "a"}).response);
  server.reset();
  server = *Server::Start({.port = port}, handler);
  const Exchange again = client->Send({.method = "POST", .url = url, .body = "b"});
  ASSERT_TRUE(again.response) << again.response.error().ToString();
  EXPECT_EQ(again.response->BodyView(), "POST /echo v1 b");
}

TEST(ClientTest, AStreamMayBeDroppedFromItsOwnSink) {
  class DroppingSink final : public StreamSink {
   public:
    void OnHead(int, const Headers&) override {}
    void OnData(std::string_view) override {
      ++calls;
      if (call) call.reset();
      dropped.Set();
    }
    void OnEnd(base::Status) override { ++calls; }
    std::unique_ptr<StreamCall> call;
    Latch dropped;
    int calls = 0;
  };
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  DroppingSink sink;
  auto client = *ClientTransport::Make({.proxy_url = "none"});
  sink.call = client->Stream({.url = server->Url() + "/hold", .timeout = {}}, sink);
  const auto writer = handler.TakeHeld();
  ASSERT_TRUE(writer);
  writer->Start(200, {});
  writer->Write("x");
  ASSERT_TRUE(sink.dropped.Wait());
  Latch closed;
  writer->OnClosed([&] { closed.Set(); });
  EXPECT_TRUE(closed.Wait());
  client.reset();
  EXPECT_EQ(sink.calls, 1);
}

TEST(ClientTest, LimitsResponses) {
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  const auto client = *ClientTransport::Make({.proxy_url = "none", .max_response_bytes = 1000});
  EXPECT_TRUE(client->Send({.url = server->Url() + "/big?size=2000"})
                  .response.Is(base::ErrorCode::kTooLarge));
  EXPECT_TRUE(client->Send({.url = server->Url() + "/big?size=1000"}).response);
}

}  // namespace
}  // namespace coppice::http
