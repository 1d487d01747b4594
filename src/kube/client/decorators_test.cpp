#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/client/counting_client.h"
#include "kube/client/fake_client_testing.h"
#include "kube/client/faulty_client.h"
#include "kube/client/measured_client.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using base::ErrorCode;
using json::Value;

const ObjectKey kKey{"ns", "a"};

Value NewPod(std::string_view name) { return NewObject(api::kPods, "ns", name); }

TEST(CountingClient, CountsByVerbAndResource) {
  FakeClient fake;
  CountingClient client(fake);
  ASSERT_TRUE(client.Create(api::kPods, NewPod("a")));
  ASSERT_TRUE(client.Get(api::kPods, kKey));
  const Value patch = Value::Object({{"status", Value::Object({{"x", 1}})}});
  ASSERT_TRUE(client.Patch(api::kPods, kKey, PatchType::kMerge, patch, {.subresource = "status"}));
  ASSERT_TRUE(client.Update(api::kPods, NewPod("a"), {.dry_run = true}));
  EXPECT_EQ(client.Writes(), 2);
  EXPECT_EQ(client.Count(Verb::kCreate, "pods"), 1);
  EXPECT_EQ(client.Count(Verb::kPatch, "pods/status"), 1);
  EXPECT_EQ(client.Count(Verb::kGet), 1);
  EXPECT_EQ(client.ToString(), "create pods: 1\npatch pods/status: 1\n");
  client.Reset();
  EXPECT_EQ(client.Writes(), 0);
}

struct FaultyTest : testing::Test {
  FakeClient fake;
  Stepper stepper;

  int FailuresOfHundredGets(Faults faults, uint64_t seed) {
    FaultyClient client(fake, stepper, faults, seed);
    int failed = 0;
    for (int i = 0; i < 100; ++i) {
      if (client.Get(api::kPods, kKey).Is(ErrorCode::kUnavailable)) ++failed;
    }
    EXPECT_EQ(client.injected(), failed);
    return failed;
  }
};

TEST_F(FaultyTest, ErrorsComeFromTheSeed) {
  const int failed = FailuresOfHundredGets({.error = 0.3}, 1);
  EXPECT_GT(failed, 10);
  EXPECT_LT(failed, 60);
  EXPECT_EQ(FailuresOfHundredGets({.error = 0.3}, 1), failed);
  EXPECT_EQ(FailuresOfHundredGets({}, 1), 0);
  EXPECT_EQ(FailuresOfHundredGets({.error = 1}, 1), 100);
}

TEST_F(FaultyTest, ConflictsHitGuardedWritesOnly) {
  FaultyClient client(fake, stepper, {.conflict = 1}, 1);
  ASSERT_TRUE(client.Create(api::kPods, NewPod("a")));
  EXPECT_TRUE(client.Update(api::kPods, NewPod("a")).Is(ErrorCode::kConflict));
  EXPECT_TRUE(client.Get(api::kPods, kKey));
}

TEST_F(FaultyTest, WriteHappensThoughTheCallerGetsAnError) {
  FaultyClient client(fake, stepper, {.error_after_write = 1}, 1);
  EXPECT_TRUE(client.Create(api::kPods, NewPod("a")).Is(ErrorCode::kTimeout));
  EXPECT_TRUE(fake.Get(api::kPods, kKey));
}

TEST_F(FaultyTest, StaleReadsShowAnEarlierState) {
  FaultyClient client(fake, stepper, {}, 1);
  ASSERT_TRUE(client.Create(api::kPods, NewPod("a")));
  const Value first = client.Get(api::kPods, kKey).value();
  ASSERT_TRUE(client.Patch(api::kPods, kKey, PatchType::kMerge, Value::Object({{"x", 1}})));
  client.SetFaults({.stale_read = 1});
  EXPECT_EQ(client.Get(api::kPods, kKey).value(), first);
  client.SetFaults({});
  EXPECT_EQ(client.Get(api::kPods, kKey).value()["x"].AsInt(), 1);
}

TEST_F(FaultyTest, CrashStopsEverythingAfterTheGivenWrites) {
  FaultyClient client(fake, stepper, {}, 1);
  int crashes = 0;
  client.CrashAfterWrites(2, [&] { ++crashes; });
  EXPECT_TRUE(client.Create(api::kPods, NewPod("a")));
  EXPECT_TRUE(client.Create(api::kPods, NewPod("b")));
  EXPECT_TRUE(client.Get(api::kPods, kKey));
  EXPECT_FALSE(client.crashed());
  EXPECT_TRUE(client.Create(api::kPods, NewPod("c")).Is(ErrorCode::kCancelled));
  EXPECT_TRUE(client.crashed());
  EXPECT_TRUE(client.Get(api::kPods, kKey).Is(ErrorCode::kCancelled));
  EXPECT_TRUE(client.Create(api::kPods, NewPod("d")).Is(ErrorCode::kCancelled));
  EXPECT_EQ(crashes, 1);
  EXPECT_FALSE(fake.Get(api::kPods, {"ns", "c"}));
}

struct Recorder : WatchSink {
  std::vector<std::string> seen;
  std::optional<base::Error> end;
  void OnEvent(WatchEvent event) override { seen.emplace_back(Name(event.object)); }
  void OnEnd(base::Error reason) override { end = std::move(reason); }
};

TEST_F(FaultyTest, DelayedEventsKeepTheirOrder) {
  for (uint64_t seed = 1; seed < 10; ++seed) {
    FakeClient server;
    Stepper steps(seed);
    FaultyClient client(server, steps, {.watch_delay = 10s}, seed);
    Recorder sink;
    const auto watch = client.StartWatch(api::kPods, {}, sink);
    ASSERT_TRUE(watch);
    for (const char* name : {"a", "b", "c", "d"}) {
      ASSERT_TRUE(server.Create(api::kPods, NewPod(name)));
      steps.RunFor(1s);
    }
    EXPECT_LT(sink.seen.size(), 4u);
    steps.RunFor(1min);
    EXPECT_THAT(sink.seen, testing::ElementsAre("a", "b", "c", "d"));
  }
}

TEST_F(FaultyTest, CutAndExpiredWatchesEndAndSayNothingMore) {
  for (const bool expired : {false, true}) {
    FaultyClient client(fake, stepper, {}, 1);
    Recorder sink;
    const auto watch = client.StartWatch(api::kPods, {}, sink);
    ASSERT_TRUE(watch);
    client.SetFaults(expired ? Faults{.watch_expired = 1} : Faults{.watch_cut = 1});
    ASSERT_TRUE(fake.Create(api::kPods, NewPod(expired ? "x" : "y")));
    ASSERT_TRUE(fake.Create(api::kPods, NewPod(expired ? "x2" : "y2")));
    stepper.RunUntilIdle();
    ASSERT_TRUE(sink.end);
    EXPECT_EQ(sink.end->code(), expired ? ErrorCode::kGone : ErrorCode::kUnavailable);
    EXPECT_THAT(sink.seen, testing::IsEmpty());
  }
}

TEST_F(FaultyTest, WatchDestroyedWithEventsUnderWay) {
  FaultyClient client(fake, stepper, {.watch_delay = 10s}, 1);
  Recorder sink;
  {
    const auto watch = client.StartWatch(api::kPods, {}, sink);
    ASSERT_TRUE(fake.Create(api::kPods, NewPod("a")));
  }
  stepper.RunFor(1min);
  EXPECT_THAT(sink.seen, testing::IsEmpty());
  EXPECT_EQ(fake.open_watches(), 0u);
}

TEST(MeasuredClient, CountsByCodeAndMethod) {
  FakeClient fake;
  const auto metrics = Metrics::Make();
  MeasuredClient client(fake, *metrics, "local");
  ASSERT_TRUE(client.Create(api::kPods, NewPod("a")));
  ASSERT_FALSE(client.Create(api::kPods, NewPod("a")));
  ASSERT_FALSE(client.Get(api::kPods, {"ns", "none"}));
  const std::string text = metrics->Text();
  const auto line = [](const char* code, const char* method) {
    return fmt::format(R"(rest_client_requests_total{{code="{}",host="local",method="{}"}} 1)",
                       code, method);
  };
  EXPECT_THAT(text, testing::HasSubstr(line("201", "POST")));
  EXPECT_THAT(text, testing::HasSubstr(line("409", "POST")));
  EXPECT_THAT(text, testing::HasSubstr(line("404", "GET")));
}

}  // namespace
}  // namespace coppice::kube
