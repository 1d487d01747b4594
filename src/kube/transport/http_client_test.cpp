#include "kube/transport/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <thread>

#include "api/well_known.h"
#include "http/server/server.h"
#include "http/server/server_testing.h"
#include "json/parse.h"
#include "kube/config/token_source.h"
#include "kube/executor/thread_executor.h"
#include "kube/transport/paths.h"
#include "kube/transport/status_error.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;
using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;

// Answers with what a test lined up, and remembers what was asked.
class Script final : public http::Handler {
 public:
  using Answer = std::function<void(const http::Request&, http::ResponseWriter&)>;

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    Answer answer;
    {
      std::lock_guard lock(mutex_);
      requests_.push_back(request);
      if (keep_ != nullptr) {
        *std::exchange(keep_, nullptr) = writer;
        return writer->Start(200, {{"content-type", "application/json"}});
      }
      if (!answers_.empty()) {
        answer = std::move(answers_.front());
        answers_.pop_front();
      }
    }
    answer ? answer(request, *writer)
           : writer->Send(http::Response::Make(404, "application/json", "{}"));
  }
  void Then(Answer answer) {
    std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
  }
  void Then(int status, std::string body, http::Headers headers = {}) {
    Then([=](const http::Request&, http::ResponseWriter& writer) {
      http::Response response = http::Response::Make(status, "application/json", body);
      for (const auto& [name, value] : headers.items()) response.headers.Set(name, value);
      writer.Send(response);
    });
  }
  // The next response is started and left to the test.
  void ThenKeep(std::shared_ptr<http::ResponseWriter>& writer) {
    std::lock_guard lock(mutex_);
    keep_ = &writer;
  }
  std::vector<http::Request> requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Answer> answers_;
  std::shared_ptr<http::ResponseWriter>* keep_ = nullptr;
  std::vector<http::Request> requests_;
};

class Sink final : public WatchSink {
 public:
  void OnEvent(WatchEvent event) override {
    std::lock_guard lock(mutex_);
    names_.push_back(event.object["metadata"]["name"].ToString());
    changed_.notify_all();
  }
  void OnEnd(base::Error reason) override {
    std::lock_guard lock(mutex_);
    end_ = reason;
    changed_.notify_all();
  }
  std::optional<base::Error> WaitForEnd() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return end_.has_value(); });
    return end_;
  }
  std::vector<std::string> names() {
    std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> names_;
  std::optional<base::Error> end_;
};

class HttpClientTest : public testing::Test {
 protected:
  void SetUp() override {
    server_ = *http::Server::Start({}, script_);
    client_ = MakeClient();
  }
  std::unique_ptr<Client> MakeClient(std::shared_ptr<CredentialSource> credentials = nullptr,
                                     HttpClientOptions options = {}) {
    options.pause = [this](std::chrono::milliseconds delay) { pauses_.push_back(delay); };
    return *MakeHttpClient(
        {.server = server_->Url(), .proxy_url = "none", .credentials = std::move(credentials)},
        executor_, options);
  }

  ThreadExecutor executor_;
  Script script_;
  std::vector<std::chrono::milliseconds> pauses_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<Client> client_;
};

constexpr const char* kPodJson =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n"}})";

TEST_F(HttpClientTest, AsksForTheRightThings) {
  for (int i = 0; i < 8; ++i) script_.Then(200, kPodJson);
  const Value pod = *json::Parse(kPodJson);
  ASSERT_TRUE(client_->Get(api::kPods, {"n", "p"}));
  ASSERT_TRUE(client_->Create(api::kPods, pod, {.field_manager = "me", .dry_run = true}));
  ASSERT_TRUE(client_->Create(api::kPods, pod, {.subresource = "binding"}));
  ASSERT_TRUE(client_->Update(api::kPods, pod, {.subresource = "status"}));
  ASSERT_TRUE(client_->Patch(api::kDeployments, {"n", "d"}, PatchType::kApply, pod,
                             {.field_manager = "me", .force = true}));
  ASSERT_TRUE(client_->Delete(api::kNodes, {"", "node"},
                              {.uid = "u", .grace_period_seconds = 0, .propagation = "Orphan"}));
  ASSERT_TRUE(client_->DeleteCollection(api::kPods, {.ns = "n", .label_selector = "a=b"}));
  ASSERT_TRUE(client_->GetPath("/version"));
  std::vector<std::string> lines;
  for (const http::Request& request : script_.requests()) {
    lines.push_back(request.method + " " + request.target);
  }
  EXPECT_THAT(
      lines,
      ElementsAre("GET /api/v1/namespaces/n/pods/p",
                  "POST /api/v1/namespaces/n/pods?fieldManager=me&dryRun=All",
                  "POST /api/v1/namespaces/n/pods/p/binding",
                  "PUT /api/v1/namespaces/n/pods/p/status",
                  "PATCH /apis/apps/v1/namespaces/n/deployments/d?fieldManager=me&force=true",
                  "DELETE /api/v1/nodes/node",
                  "DELETE /api/v1/namespaces/n/pods?labelSelector=a%3Db", "GET /version"));
  EXPECT_EQ(script_.requests()[4].headers.Get("content-type"), "application/apply-patch+yaml");
  EXPECT_EQ(script_.requests()[5].body,
            R"({"apiVersion":"v1","gracePeriodSeconds":0,"kind":"DeleteOptions",)"
            R"("preconditions":{"uid":"u"},"propagationPolicy":"Orphan"})");
}

TEST_F(HttpClientTest, AFencedWriteNamesItsLeaseAndIsNotRepeatedWhenThatIsLost) {
  bool holds = true;
  const auto fence = std::make_shared<const WriteFence>(
      WriteFence{{"ns", "lock"}, "me", 3, [&] { return holds; }});
  const Value pod = *json::Parse(kPodJson);
  for (int i = 0; i < 4; ++i) script_.Then(200, kPodJson);
  ASSERT_TRUE(client_->Create(api::kPods, pod, {.fence = fence}));
  ASSERT_TRUE(client_->Update(api::kPods, pod, {.fence = fence}));
  ASSERT_TRUE(client_->Patch(api::kPods, {"n", "p"}, PatchType::kMerge, pod, {.fence = fence}));
  ASSERT_TRUE(client_->Delete(api::kPods, {"n", "p"}, {.fence = fence}));
  for (const http::Request& request : script_.requests()) {
    EXPECT_EQ(request.headers.Get("coppice-lease"), "ns/lock 3 me") << request.method;
  }
  // The lease is lost while the client waits to try again.
  script_.Then([&](const http::Request&, http::ResponseWriter& writer) {
    holds = false;
    http::Response response = http::Response::Make(429, "application/json", "{}");
    response.headers.Set("retry-after", "1");
    writer.Send(response);
  });
  EXPECT_TRUE(client_->Create(api::kPods, pod, {.fence = fence}).Is(ErrorCode::kCancelled));
  EXPECT_EQ(pauses_.size(), 1u);
  EXPECT_EQ(script_.requests().size(), 5u) << "it was not sent again";
}

TEST_F(HttpClientTest, RefusesKeysThatWouldMeanACollection) {
  EXPECT_TRUE(client_->Get(api::kPods, {"n", ""}).Is(ErrorCode::kInvalidArgument));
  EXPECT_TRUE(client_->Delete(api::kPods, {"", "p"}).Is(ErrorCode::kInvalidArgument));
  EXPECT_TRUE(client_->Delete(api::kNodes, {"", ""}).Is(ErrorCode::kInvalidArgument));
  EXPECT_TRUE(script_.requests().empty());
}

TEST_F(HttpClientTest, ReadsLists) {
  script_.Then(200, R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"c"},)"
                    R"("items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})");
  const auto list = client_->List(api::kPods, {.ns = "n", .limit = 2, .continue_token = "x y"});
  ASSERT_TRUE(list) << list.error().ToString();
  EXPECT_EQ(list->resource_version, "7");
  EXPECT_EQ(list->continue_token, "c");
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_EQ(list->items[1]["kind"].AsString(), "Pod");
  EXPECT_THAT(script_.requests()[0].target, HasSubstr("limit=2&continue=x%20y"));
}

TEST_F(HttpClientTest, TypesErrors) {
  script_.Then(409, R"({"kind":"Status","reason":"AlreadyExists","message":"m","code":409})");
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}).Is(ErrorCode::kAlreadyExists));
  script_.Then(422,
               R"({"kind":"Status","reason":"Invalid","message":"m","code":422,"details":)"
               R"({"causes":[{"reason":"FieldValueRequired","field":"spec.x","message":"r"}]}})");
  const auto invalid = client_->Get(api::kPods, {"n", "p"});
  ASSERT_TRUE(invalid.Is(ErrorCode::kInvalid));
  ASSERT_EQ(invalid.error().causes().size(), 1u);
  EXPECT_EQ(invalid.error().causes()[0].field, "spec.x");
  script_.Then(410, "not json");
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}).Is(ErrorCode::kGone));
  script_.Then(200, "{broken");
  EXPECT_FALSE(client_->Get(api::kPods, {"n", "p"}));
}

TEST_F(HttpClientTest, RepeatsReadsThatFailInPassing) {
  script_.Then(503, "{}");
  script_.Then(502, "{}");
  script_.Then(200, kPodJson);
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}));
  EXPECT_EQ(pauses_.size(), 2u);
}

TEST_F(HttpClientTest, GivesUpAfterSomeAttempts) {
  for (int i = 0; i < 20; ++i) script_.Then(503, "{}");
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}).Is(ErrorCode::kUnavailable));
  EXPECT_EQ(script_.requests().size(), 5u);
}

TEST_F(HttpClientTest, WaitsAsLongAsTheServerSays) {
  script_.Then(429, "{}", {{"retry-after", "2"}});
  script_.Then(201, kPodJson);
  EXPECT_TRUE(client_->Create(api::kPods, *json::Parse(kPodJson)));
  ASSERT_EQ(pauses_.size(), 1u);
  EXPECT_GE(pauses_[0], std::chrono::seconds(2));
}

TEST_F(HttpClientTest, KeepsToACapOnItsRate) {
  client_ = MakeClient(nullptr, {.max_per_second = 0.001});
  for (int i = 0; i < 3; ++i) script_.Then(200, kPodJson);
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}));
  EXPECT_THAT(pauses_, ElementsAre());
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}));
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}));
  ASSERT_EQ(pauses_.size(), 2u);
  EXPECT_GE(pauses_[0], std::chrono::seconds(900));
  EXPECT_GT(pauses_[1], pauses_[0]);
}

TEST_F(HttpClientTest, KeepsToACapOnRequestsAtOnce) {
  client_ = MakeClient(nullptr, {.max_in_flight = 2});
  std::atomic<int> inside = 0, most = 0;
  for (int i = 0; i < 40; ++i) {
    script_.Then([&](const http::Request&, http::ResponseWriter& writer) {
      const int now = ++inside;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      --inside;
      writer.Send(http::Response::Make(200, "application/json", kPodJson));
    });
  }
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}));
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_LE(most, 2);
}

TEST_F(HttpClientTest, ReportsRetryAfterWhenItGivesUp) {
  script_.Then(429, R"({"kind":"Status","reason":"TooManyRequests","message":"m","code":429,)"
                    R"("details":{"retryAfterSeconds":10}})");
  const auto refused = client_->Create(api::kPods, *json::Parse(kPodJson));
  ASSERT_TRUE(refused.Is(ErrorCode::kTooManyRequests));
  EXPECT_EQ(refused.error().retry_after(), std::chrono::seconds(10));
}

TEST_F(HttpClientTest, ActsAsWhomItIsToldTo) {
  ClusterConfig config{.server = server_->Url(), .proxy_url = "none"};
  config.impersonation.Add("Impersonate-User", "jane");
  client_ = *MakeHttpClient(config, executor_, {});
  script_.Then(200, kPodJson);
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}));
  EXPECT_EQ(script_.requests()[0].headers.Get("impersonate-user"), "jane");
}

TEST_F(HttpClientTest, GetsFreshCredentialsWhenRefused) {
  class Rotating final : public CredentialSource {
   public:
    base::Result<Credential> Get() override { return Credential{fmt::format("Bearer {}", n_)}; }
    void Invalidate() override { ++n_; }
    int n_ = 1;
  };
  client_ = MakeClient(std::make_shared<Rotating>());
  script_.Then(401, "{}");
  script_.Then(200, kPodJson);
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}));
  EXPECT_EQ(script_.requests()[1].headers.Get("authorization"), "Bearer 2");
  script_.Then(401, "{}");
  script_.Then(401, "{}");
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}).Is(ErrorCode::kUnauthorized));
  EXPECT_EQ(script_.requests().size(), 4u) << "once only";
}

// A watch's answer in pieces that do not respect lines.
Script::Answer Streamed(std::string text) {
  return [=](const http::Request&, http::ResponseWriter& writer) {
    writer.Start(200, {{"content-type", "application/json"}});
    for (size_t i = 0; i < text.size(); i += 7) writer.Write(text.substr(i, 7));
    writer.Finish();
  };
}
std::string EventLine(std::string_view type, std::string_view name) {
  return fmt::format(R"({{"type":"{}","object":{{"kind":"Pod","metadata":{{"name":"{}"}}}}}})"
                     "\n",
                     type, name);
}

TEST_F(HttpClientTest, ReadsWatches) {
  script_.Then(Streamed(EventLine("ADDED", "a") + EventLine("MODIFIED", "b") + "\n" +
                        EventLine("SOMETHING", "new") + EventLine("BOOKMARK", "c")));
  Sink sink;
  const auto watch = client_->StartWatch(
      api::kPods, {.ns = "n", .resource_version = "5", .send_initial_events = true}, sink);
  ASSERT_TRUE(watch) << watch.error().ToString();
  const auto end = sink.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code(), ErrorCode::kUnavailable);
  EXPECT_THAT(sink.names(), ElementsAre("a", "b", "c"));
  const http::Query query = script_.requests()[0].query;
  EXPECT_EQ(query.Get("watch"), "true");
  EXPECT_EQ(query.Get("resourceVersion"), "5");
  EXPECT_EQ(query.Get("sendInitialEvents"), "true");
  EXPECT_EQ(query.Get("resourceVersionMatch"), "NotOlderThan");
  EXPECT_EQ(query.Get("allowWatchBookmarks"), "true");
}

// Waits with its first event until it is told to go on.
class SlowSink final : public WatchSink {
 public:
  void OnEvent(WatchEvent) override {
    first_.Set();
    COPPICE_CHECK(go_on_.Wait());
    ++count_;
  }
  void OnEnd(base::Error) override { end_.Set(); }
  bool WaitForFirst() { return first_.Wait(); }
  void GoOn() { go_on_.Set(); }
  bool WaitForEnd() { return end_.Wait(); }
  int count() const { return count_; }

 private:
  http::testing::Latch first_, go_on_, end_;
  std::atomic<int> count_ = 0;
};

constexpr int kFlood = 30;  // Megabytes, far more than the client buffers.

class FloodTest : public HttpClientTest {
 protected:
  void StartFlood() {
    script_.ThenKeep(writer_);
    watch_ = *client_->StartWatch(api::kPods, {.ns = "n"}, sink_);
    const std::string line = EventLine("ADDED", std::string(1 << 20, 'x'));
    for (int i = 0; i < kFlood; ++i) ASSERT_TRUE(writer_->Write(line));
    ASSERT_TRUE(sink_.WaitForFirst());
  }

  std::shared_ptr<http::ResponseWriter> writer_;
  SlowSink sink_;
  std::unique_ptr<Watch> watch_;
};

// The rest waits in the server, nothing is lost, and requests go their own way meanwhile.
TEST_F(FloodTest, WaitsForItsConsumer) {
  StartFlood();
  script_.Then(200, kPodJson);
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}));
  EXPECT_GT(writer_->Buffered(), 0u) << "the server holds back";
  writer_->Finish();
  sink_.GoOn();
  ASSERT_TRUE(sink_.WaitForEnd());
  EXPECT_EQ(sink_.count(), kFlood);
}

TEST_F(FloodTest, CanBeStoppedInTheMiddle) {
  StartFlood();
  sink_.GoOn();
  watch_.reset();
  EXPECT_TRUE(client_->Get(api::kPods, {"n", "p"}).Is(ErrorCode::kNotFound));
  writer_->Finish();
}

TEST_F(HttpClientTest, EndsAWatchWithTheServersReason) {
  script_.Then(Streamed(EventLine("ADDED", "a") +
                        R"({"type":"ERROR","object":{"kind":"Status","code":410,)"
                        R"("reason":"Expired","message":"too old"}})"
                        "\n" +
                        EventLine("ADDED", "never")));
  Sink sink;
  const auto watch = client_->StartWatch(api::kPods, {.ns = "n"}, sink);
  ASSERT_TRUE(watch);
  const auto end = sink.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code(), ErrorCode::kGone);
  EXPECT_THAT(sink.names(), ElementsAre("a"));
}

TEST_F(HttpClientTest, RefusedWatchesDoNotStart) {
  Sink sink;
  script_.Then(410, R"({"kind":"Status","reason":"Expired","message":"too old","code":410})");
  EXPECT_TRUE(client_->StartWatch(api::kPods, {.ns = "n"}, sink).Is(ErrorCode::kGone));
  script_.Then(403, R"({"kind":"Status","reason":"Forbidden","message":"no","code":403})");
  EXPECT_TRUE(client_->StartWatch(api::kPods, {.ns = "n"}, sink).Is(ErrorCode::kForbidden));
}

TEST_F(HttpClientTest, ReportsABrokenWatch) {
  std::shared_ptr<http::ResponseWriter> held;
  script_.ThenKeep(held);
  Sink sink;
  const auto watch = client_->StartWatch(api::kPods, {.ns = "n"}, sink);
  ASSERT_TRUE(watch) << watch.error().ToString();
  held->Write(R"({"type":"ADD)");
  held.reset();
  const auto end = sink.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code(), ErrorCode::kUnavailable);
}

TEST_F(HttpClientTest, RefusesGarbageInAWatch) {
  script_.Then(Streamed("this is not json\n"));
  Sink sink;
  const auto watch = client_->StartWatch(api::kPods, {.ns = "n"}, sink);
  ASSERT_TRUE(watch);
  const auto end = sink.WaitForEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code(), ErrorCode::kInvalidArgument);
}

TEST_F(HttpClientTest, AWatchMayBeDroppedFromItsOwnSink) {
  class DroppingSink final : public WatchSink {
   public:
    void OnEvent(WatchEvent) override {
      ++calls;
      watch.reset();
      std::lock_guard lock(mutex);
      dropped = true;
      changed.notify_all();
    }
    void OnEnd(base::Error) override { ++calls; }
    std::unique_ptr<Watch> watch;
    int calls = 0;
    std::mutex mutex;
    std::condition_variable changed;
    bool dropped = false;
  };
  std::shared_ptr<http::ResponseWriter> held;
  script_.ThenKeep(held);
  DroppingSink sink;
  sink.watch = *client_->StartWatch(api::kPods, {.ns = "n"}, sink);
  held->Write(EventLine("ADDED", "a") + EventLine("ADDED", "b"));
  {
    std::unique_lock lock(sink.mutex);
    ASSERT_TRUE(
        sink.changed.wait_for(lock, std::chrono::seconds(20), [&] { return sink.dropped; }));
  }
  client_.reset();
  executor_.Stop();
  EXPECT_EQ(sink.calls, 1);
}

TEST_F(HttpClientTest, KeepsTokensOutOfErrors) {
  client_ = MakeClient(FixedToken("very-secret"));
  server_->Stop(std::chrono::milliseconds(0));
  const auto failed = client_->Get(api::kPods, {"n", "p"});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().ToString(), Not(HasSubstr("very-secret")));
}

}  // namespace
}  // namespace coppice::kube
