#include "http/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "http/crypto.h"
#include "http/server_testing.h"

namespace coppice::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::Latch;
using ::testing::Not;
using testing::RawConnection;
using ::testing::StartsWith;
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
  if (GetParam().http2) Get("/echo");
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

// What only raw bytes can do.
class RawServerTest : public ::testing::Test {
 protected:
  void Start(ServerOptions options = {}) { server_ = *Server::Start(options, handler_); }
  TestHandler handler_;
  std::unique_ptr<Server> server_;
};

TEST_F(RawServerTest, AnswersMalformedRequestsWith400) {
  Start();
  for (const char* bytes :
       {"garbage\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\x01 HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n"}) {
    RawConnection connection(server_->port());
    ASSERT_TRUE(connection.Send(bytes));
    const std::string answer = connection.ReadAll();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 ")) << bytes;
    EXPECT_THAT(answer, HasSubstr("\"kind\":\"Status\""));
  }
  EXPECT_EQ(handler_.count(), 0);
}

TEST_F(RawServerTest, HandlesPipelinedRequestsInOrder) {
  Start();
  RawConnection connection(server_->port());
  ASSERT_TRUE(
      connection.Send("GET /a HTTP/1.1\r\nhost: x\r\n\r\nGET /b HTTP/1.1\r\nhost: x\r\n"
                      "connection: close\r\n\r\n"));
  const std::string answer = connection.ReadAll();
  EXPECT_LT(answer.find("GET /a"), answer.find("GET /b"));
  EXPECT_THAT(answer, Not(HasSubstr("timeout")));
}

TEST_F(RawServerTest, SaysContinueToClientsThatAsk) {
  Start();
  RawConnection connection(server_->port());
  ASSERT_TRUE(
      connection.Send("POST /echo HTTP/1.1\r\ncontent-length: 5\r\n"
                      "expect: 100-continue\r\nconnection: close\r\n\r\n"));
  EXPECT_THAT(connection.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue"));
  ASSERT_TRUE(connection.Send("hello"));
  EXPECT_THAT(connection.ReadAll(), HasSubstr("hello"));
}

TEST_F(RawServerTest, TimesOutSlowRequests) {
  Start({.request_timeout = milliseconds(50)});
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send("POST /echo HTTP/1.1\r\ncontent-length: 100\r\n\r\nhalf"));
  EXPECT_THAT(connection.ReadAll(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(RawServerTest, ClosesSilentAndIdleConnections) {
  Start({.handshake_timeout = milliseconds(50), .idle_timeout = milliseconds(50)});
  RawConnection silent(server_->port());
  EXPECT_EQ(silent.ReadAll(), "");
  RawConnection idle(server_->port());
  ASSERT_TRUE(idle.Send("GET /echo HTTP/1.1\r\n\r\n"));
  const std::string answer = idle.ReadAll();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, Not(HasSubstr("timeout")));
}

TEST_F(RawServerTest, CutsClientsThatTakeNothing) {
  Start({.write_timeout = milliseconds(100)});
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send("GET /hold HTTP/1.1\r\n\r\n"));
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  Latch closed;
  writer->Start(200, {});
  writer->OnClosed([&] { closed.Set(); });
  writer->Write(std::string(32 << 20, 'x'));  // More than any socket buffer; never read.
  EXPECT_TRUE(closed.Wait());
}

TEST_F(RawServerTest, NoticesAHalfClosedWatcher) {
  Start();
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send("GET /hold HTTP/1.1\r\n\r\n"));
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  Latch closed;
  writer->Start(200, {});
  writer->OnClosed([&] { closed.Set(); });
  connection.Shutdown();
  EXPECT_TRUE(closed.Wait());
}

TEST_F(RawServerTest, LimitsConnections) {
  Start({.max_connections = 2});
  RawConnection first(server_->port()), second(server_->port());
  for (RawConnection* connection : {&first, &second}) {
    ASSERT_TRUE(connection->Send("GET /echo HTTP/1.1\r\n\r\n"));
    EXPECT_THAT(connection->ReadUntil("v1 "), StartsWith("HTTP/1.1 200"));
  }
  RawConnection third(server_->port());
  third.Send("GET /echo HTTP/1.1\r\n\r\n");
  EXPECT_EQ(third.ReadAll(), "");
}

TEST_F(RawServerTest, SpeaksHttp2WithPriorKnowledge) {
  Start();
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  const std::string empty_settings("\0\0\0\x04\0\0\0\0\0", 9);
  ASSERT_TRUE(connection.Send(empty_settings));
  // The acknowledgement of our settings.
  const std::string acknowledged("\0\0\0\x04\x01\0\0\0\0", 9);
  EXPECT_THAT(connection.ReadUntil(acknowledged), HasSubstr(acknowledged));
}

TEST_F(RawServerTest, SurvivesBrokenHttp2) {
  Start();
  for (const std::string& frame :
       {std::string("\xff\xff\xff\x01\x05\0\0\0\x01", 9), std::string("\0\0\0\0\0\0\0\0\0", 9),
        std::string("\0\0\x04\x08\0\0\0\0\0\0\0\0\0", 13), std::string(5000, '\xaa')}) {
    RawConnection connection(server_->port());
    connection.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string("\0\0\0\x04\0\0\0\0\0", 9));
    connection.Send(frame);
    EXPECT_THAT(connection.ReadAll(), Not(HasSubstr("timeout")));
  }
  RawConnection after(server_->port());
  after.Send("GET /echo HTTP/1.1\r\nconnection: close\r\n\r\n");
  EXPECT_THAT(after.ReadAll(), StartsWith("HTTP/1.1 200"));
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
