#include "http/server/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::Latch;
using testing::TestHandler;

// Collects a stream; lets a test wait for parts of it.
class CollectingSink final : public StreamSink {
 public:
  void OnHead(int status, const Headers&) override {
    std::lock_guard lock(mutex_);
    status_ = status;
  }
  void OnData(std::string_view bytes) override {
    std::lock_guard lock(mutex_);
    text_.append(bytes);
    changed_.notify_all();
  }
  void OnEnd(base::Status end) override {
    std::lock_guard lock(mutex_);
    end_ = std::move(end);
    changed_.notify_all();
  }
  bool WaitFor(std::string_view needle) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return text_.find(needle) != std::string::npos; });
  }
  std::optional<base::Status> WaitForEnd() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return end_.has_value(); });
    return end_;
  }
  std::string text() {
    std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 0;
  std::string text_;
  std::optional<base::Status> end_;
};

struct Wire {
  const char* name;
  bool tls;
  bool http2;
};

// The same behaviour on every wire.
class ServerTest : public ::testing::TestWithParam<Wire> {
 protected:
  void Start(ServerOptions options = {}) {
    if (GetParam().tls) options.tls = testing::TestServerTls();
    auto server = Server::Start(std::move(options), handler_);
    ASSERT_TRUE(server) << server.error().ToString();
    server_ = *std::move(server);
    client_ = Connect();
  }
  std::unique_ptr<ClientTransport> Connect() {
    ClientOptions options{.tls = testing::TestClientTls(), .proxy_url = "none"};
    options.http2 = GetParam().http2;
    return *ClientTransport::Make(std::move(options));
  }
  std::string Url(std::string_view path) { return server_->Url() + std::string(path); }
  Exchange Get(std::string_view path) { return client_->Send({.url = Url(path)}); }

  TestHandler handler_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<ClientTransport> client_;
};

INSTANTIATE_TEST_SUITE_P(Wires, ServerTest,
                         ::testing::Values(Wire{"Http1", false, false},
                                           Wire{"Http1Tls", true, false},
                                           Wire{"Http2Tls", true, true}),
                         [](const auto& wire) { return wire.param.name; });

TEST_P(ServerTest, AnswersRequests) {
  Start();
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    const Exchange exchange =
        client_->Send({.method = method, .url = Url("/echo?a=1"), .body = "some body"});
    ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
    EXPECT_EQ(exchange.response->status, 200);
    EXPECT_EQ(exchange.response->BodyView(),
              fmt::format("{} /echo?a=1 v{} some body", method, GetParam().http2 ? 2 : 1));
  }
  EXPECT_EQ(server_->connections(), 1u) << "connections are reused";
}

TEST_P(ServerTest, AnswersHeadWithoutBody) {
  Start();
  const Exchange exchange = client_->Send({.method = "HEAD", .url = Url("/big?size=1000")});
  ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
  EXPECT_EQ(exchange.response->headers.Get("content-length"), "1000");
  EXPECT_EQ(exchange.response->BodyView(), "");
}

TEST_P(ServerTest, SendsLargeBodies) {
  Start();
  const size_t size = 20 << 20;
  for (const bool gzip : {false, true}) {
    const Exchange exchange =
        client_->Send({.url = Url(fmt::format("/big?size={}", size)), .gzip = gzip});
    ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
    EXPECT_EQ(exchange.response->BodyView(), std::string(size, 'x'));
    EXPECT_EQ(exchange.response->headers.Get("content-encoding"), gzip ? "gzip" : "");
  }
}

TEST_P(ServerTest, SendsBodiesInParts) {
  Start();
  const size_t count = 100'000;
  std::string expected = "first\n";
  for (size_t i = 0; i < count; ++i) expected += fmt::format("part {}\n", i);
  for (const bool gzip : {false, true}) {
    const Exchange exchange =
        client_->Send({.url = Url(fmt::format("/parts?n={}", count)), .gzip = gzip});
    ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
    EXPECT_EQ(exchange.response->BodyView(), expected);
  }
  const Exchange head = client_->Send({.method = "HEAD", .url = Url("/parts?n=1")});
  EXPECT_EQ(head.response->headers.Get("content-length"), "13");
}

TEST_P(ServerTest, TakesLargeBodiesUpToTheLimit) {
  Start({.max_body_bytes = 1 << 20});
  const std::string body(1 << 20, 'b');
  const Exchange exchange = client_->Send({.method = "POST", .url = Url("/echo"), .body = body});
  ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
  EXPECT_THAT(exchange.response->BodyView(), ::testing::EndsWith("b"));
  const Exchange refused =
      client_->Send({.method = "POST", .url = Url("/echo"), .body = body + "b"});
  ASSERT_TRUE(refused.response) << refused.response.error().ToString();
  EXPECT_EQ(refused.response->status, 413);
  EXPECT_THAT(refused.response->BodyView(), HasSubstr("RequestEntityTooLarge"));
  EXPECT_EQ(handler_.count(), 1);
}

TEST_P(ServerTest, RefusesHugeHeaders) {
  Start({.max_header_bytes = 8 << 10});
  const Exchange exchange =
      client_->Send({.url = Url("/echo"), .headers = {{"x-large", std::string(16 << 10, 'h')}}});
  ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
  EXPECT_EQ(exchange.response->status, 431);
}

TEST_P(ServerTest, RefusesPathsThatAreNoText) {
  Start();
  for (const char* path : {"/echo/%ff%fe", "/echo/%zz", "/echo/%00", "/echo?x=%c3%28"}) {
    const Exchange exchange = Get(path);
    ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
    EXPECT_EQ(exchange.response->status, 400) << path;
  }
  EXPECT_EQ(Get("/echo/%C3%A9").response->status, 200);
}

TEST_P(ServerTest, StreamsPartsAsTheyAreWritten) {
  Start();
  CollectingSink sink;
  const auto call = client_->Stream({.url = Url("/hold"), .timeout = {}}, sink);
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  writer->Start(200, {});
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(writer->Write(fmt::format("part {};", i)));
    EXPECT_TRUE(sink.WaitFor(fmt::format("part {};", i)));
  }
  writer->Finish();
  const auto end = sink.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->ok()) << end->error().ToString();
  EXPECT_FALSE(writer->Write("late"));
}

TEST_P(ServerTest, TellsTheWriterWhenTheClientLeaves) {
  Start();
  CollectingSink sink;
  auto call = client_->Stream({.url = Url("/hold"), .timeout = {}}, sink);
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  writer->Start(200, {});
  writer->Write("x");
  ASSERT_TRUE(sink.WaitFor("x"));
  Latch closed;
  writer->OnClosed([&] { closed.Set(); });
  EXPECT_FALSE(writer->Closed());
  call.reset();
  // libcurl resets a cancelled HTTP/2 stream with the next bytes it sends on the connection.
  CollectingSink other;
  const auto next = client_->Stream({.url = Url("/echo"), .timeout = {}}, other);
  EXPECT_TRUE(closed.Wait());
  EXPECT_TRUE(writer->Closed());
  EXPECT_FALSE(writer->Write("y"));
}

TEST_P(ServerTest, CutsAStreamWhoseHandlerGaveUp) {
  Start();
  CollectingSink sink;
  const auto call = client_->Stream({.url = Url("/half"), .timeout = {}}, sink);
  const auto end = sink.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->ok()) << "a part must not look like the whole";
}

TEST_P(ServerTest, AnswersForAHandlerThatForgot) {
  Start();
  const Exchange exchange = Get("/drop");
  ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
  EXPECT_EQ(exchange.response->status, 500);
}

TEST_P(ServerTest, ServesManyRequestsAtOnce) {
  Start();
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const Exchange exchange = client_->Send(
            {.method = "POST", .url = Url(fmt::format("/echo?{}-{}", t, i)), .body = "b"});
        if (!exchange.response) ADD_FAILURE() << exchange.response.error().ToString();
        good += exchange.response && exchange.response->status == 200 &&
                exchange.response->BodyView().find(fmt::format("?{}-{} ", t, i)) !=
                    std::string_view::npos;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 16 * 50);
}

// As a webhook of the server's own process may: whatever thread answers, the clients are heard.
TEST_P(ServerTest, AHandlerMayAskItsOwnServer) {
  class Asking final : public Handler {
   public:
    void Handle(Request request, std::shared_ptr<ResponseWriter> writer) override {
      if (request.path == "/inner") return writer->Send(Response::Make(200, "text/plain", "inner"));
      const Exchange exchange = ask();
      const bool answered = exchange.response && exchange.response->status == 200;
      writer->Send(Response::Make(answered ? 200 : 500, "text/plain", "outer"));
    }
    std::function<Exchange()> ask;
  } asking;
  ServerOptions options;
  if (GetParam().tls) options.tls = testing::TestServerTls();
  server_ = *Server::Start(options, asking);
  client_ = Connect();
  asking.ask = [this] { return Get("/inner"); };
  std::vector<std::future<Exchange>> answers;
  for (int i = 0; i < 4; ++i) {
    answers.push_back(std::async(std::launch::async, [this] { return Get("/outer"); }));
  }
  for (auto& answer : answers) EXPECT_EQ(answer.get().response->status, 200);
  server_->Stop(milliseconds(0));
}

TEST_P(ServerTest, KeepsManyStreamsOpen) {
  Start({.worker_threads = 2});
  constexpr int kStreams = 200;
  std::vector<CollectingSink> sinks(kStreams);
  std::vector<std::unique_ptr<StreamCall>> calls;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
  for (CollectingSink& sink : sinks) {
    calls.push_back(client_->Stream({.url = Url("/hold"), .timeout = {}}, sink));
    writers.push_back(handler_.TakeHeld());
    ASSERT_TRUE(writers.back());
    writers.back()->Start(200, {});
  }
  const Bytes event = MakeBytes("one for all\n");
  for (auto& writer : writers) EXPECT_TRUE(writer->Write(event));
  for (CollectingSink& sink : sinks) EXPECT_TRUE(sink.WaitFor("one for all\n"));
  EXPECT_EQ(Get("/echo").response->status, 200) << "other requests still pass";
}

TEST_P(ServerTest, StopsInTheMiddleOfWork) {
  Start();
  CollectingSink sink;
  const auto call = client_->Stream({.url = Url("/hold"), .timeout = {}}, sink);
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  writer->Start(200, {});
  writer->Write("x");
  ASSERT_TRUE(sink.WaitFor("x"));
  Latch closed;
  writer->OnClosed([&] { closed.Set(); });
  server_->Stop(milliseconds(0));
  EXPECT_TRUE(closed.Wait());
  EXPECT_FALSE(writer->Write("y"));
  const auto end = sink.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->ok());
  EXPECT_FALSE(Get("/echo").response);
}

TEST_P(ServerTest, LetsRunningRequestsFinishWhenStopping) {
  Start();
  auto answer = std::async(std::launch::async, [&] { return Get("/hold"); });
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  std::thread stop([&] { server_->Stop(std::chrono::seconds(20)); });
  writer->Send(Response::Make(200, "text/plain", "finished"));
  const Exchange exchange = answer.get();
  ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
  EXPECT_EQ(exchange.response->BodyView(), "finished");
  stop.join();
}

TEST_P(ServerTest, CutsAStreamThatGrowsTooFarAhead) {
  Start({.max_stream_buffer = 1 << 20});
  CollectingSink sink;
  const auto call = client_->Stream({.url = Url("/hold"), .timeout = {}}, sink);
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  writer->Start(200, {});
  EXPECT_FALSE(writer->Write(std::string((1 << 20) + 1, 'x')));
  EXPECT_TRUE(writer->Closed());
  const auto end = sink.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->ok());
}

TEST_P(ServerTest, TellsWhenTheBufferIsEmpty) {
  Start();
  CollectingSink sink;
  const auto call = client_->Stream({.url = Url("/hold"), .timeout = {}}, sink);
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  writer->Start(200, {});
  for (int round = 0; round < 3; ++round) {
    writer->Write(std::string(100'000, 'x'));
    Latch drained;
    writer->OnDrained([&] { drained.Set(); });
    EXPECT_TRUE(drained.Wait());
    EXPECT_EQ(writer->Buffered(), 0u);
  }
}

TEST_P(ServerTest, RefusesMoreThanItCanQueue) {
  class Blocking final : public Handler {
   public:
    void Handle(Request, std::shared_ptr<ResponseWriter> writer) override {
      entered.Set();
      release.Wait();
      writer->Send(Response::Make(200, "text/plain", "ok"));
    }
    Latch entered, release;
  } blocking;
  ServerOptions options{.io_threads = 1, .worker_threads = 1, .max_queued_requests = 1};
  if (GetParam().tls) options.tls = testing::TestServerTls();
  server_ = *Server::Start(options, blocking);
  client_ = Connect();
  auto first = std::async(std::launch::async, [&] { return Get("/a"); });
  ASSERT_TRUE(blocking.entered.Wait());
  std::atomic<int> refused = 0;
  Latch three_refused;
  std::vector<std::future<void>> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(std::async(std::launch::async, [&] {
      const Exchange exchange = Get("/b");
      if (exchange.response->status != 429) return;
      EXPECT_EQ(exchange.response->headers.Get("retry-after"), "1");
      if (++refused == 3) three_refused.Set();
    }));
  }
  ASSERT_TRUE(three_refused.Wait()) << "one waits for the worker, the others are told at once";
  blocking.release.Set();
  EXPECT_EQ(first.get().response->status, 200);
  for (auto& other : others) other.get();
  EXPECT_EQ(refused, 3);
  server_->Stop(milliseconds(0));
}

TEST(ServerStartTest, RefusesWhatItCannotServe) {
  TestHandler handler;
  EXPECT_TRUE(Server::Start({.address = "nowhere"}, handler).Is(base::ErrorCode::kInvalidArgument));
  EXPECT_TRUE(Server::Start({.tls = ServerTls{"no", "certificate", ""}}, handler)
                  .Is(base::ErrorCode::kInvalidArgument));
  const auto first = Server::Start({}, handler);
  ASSERT_TRUE(first);
  EXPECT_TRUE(Server::Start({.port = (*first)->port()}, handler).Is(base::ErrorCode::kUnavailable));
}

}  // namespace
}  // namespace coppice::http
