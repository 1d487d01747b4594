#include "kube/events/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>

#include "api/well_known.h"
#include "kube/client/fake_client_testing.h"
#include "kube/client/intercepted_client.h"
#include "kube/events/event_writer.h"
#include "kube/executor/stepper.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using json::Value;
using testing::HasSubstr;

Value PodWithUid(std::string_view name) {
  Value pod = NewObject(api::kPods, "ns", name);
  pod.Mutable("metadata").Set("uid", std::string("uid-of-") + std::string(name));
  return pod;
}

struct EventsTest : testing::Test {
  FakeClient client;
  Stepper stepper;
  std::unique_ptr<Metrics> metrics = Metrics::Make();
  EventWriter::Options options{.component = "operator", .metrics = metrics.get()};
  std::unique_ptr<EventWriter> writer = Make();

  std::unique_ptr<EventWriter> Make() {
    return std::make_unique<EventWriter>(client, stepper, options);
  }
  void Say(std::string_view message, std::string_view name = "a") {
    writer->Event(PodWithUid(name), "Warning", "Unschedulable", message, "");
  }
  std::vector<Value> Events() {
    stepper.RunUntilIdle();
    return client.List(api::kEvents).value().items;
  }
};

TEST_F(EventsTest, WritesACompleteEvent) {
  Say("no room");
  const auto events = Events();
  ASSERT_EQ(events.size(), 1u);
  const Value& event = events[0];
  EXPECT_EQ(Namespace(event), "ns");
  EXPECT_THAT(std::string(Name(event)), testing::StartsWith("a."));
  EXPECT_EQ(event["involvedObject"]["kind"].AsString(), "Pod");
  EXPECT_EQ(event["involvedObject"]["uid"].AsString(), "uid-of-a");
  EXPECT_EQ(event["type"].AsString(), "Warning");
  EXPECT_EQ(event["reason"].AsString(), "Unschedulable");
  EXPECT_EQ(event["message"].AsString(), "no room");
  EXPECT_EQ(event["source"]["component"].AsString(), "operator");
  EXPECT_EQ(event["count"].AsInt(), 1);
  EXPECT_EQ(event["firstTimestamp"].AsString(), "2026-01-01T00:00:00Z");
}

TEST_F(EventsTest, LetUrgentWorkPassButNotForLong) {
  PriorityTracker priorities;
  options.priorities = &priorities;
  writer = Make();
  priorities.Add(Priority::kHighest, 1);
  Say("first");
  stepper.RunFor(200ms);
  EXPECT_EQ(Events().size(), 0u);
  priorities.Add(Priority::kHighest, -1);
  stepper.RunFor(100ms);
  EXPECT_EQ(Events().size(), 1u);
  priorities.Add(Priority::kHighest, 1);
  Say("second");
  stepper.RunFor(9s);
  EXPECT_EQ(Events().size(), 1u);
  stepper.RunFor(2s);
  EXPECT_EQ(Events().size(), 2u);
}

TEST_F(EventsTest, LetUrgentWorkPassOnlyWhileThereIsRoomForMore) {
  PriorityTracker priorities;
  options.priorities = &priorities;
  options.queue_limit = 8;
  writer = Make();
  const PriorityScope urgent(priorities, Priority::kHigh);
  for (int i = 0; i < 3; ++i) Say("hello", std::to_string(i));
  stepper.RunFor(200ms);
  EXPECT_EQ(Events().size(), 0u);
  for (int i = 0; i < 40; ++i) {
    Say("hello", std::to_string(i));
    stepper.RunFor(200ms);
  }
  EXPECT_THAT(metrics->Text(), testing::Not(HasSubstr("queue_full")));
  stepper.RunFor(11s);
  EXPECT_EQ(Events().size(), 40u);
}

TEST_F(EventsTest, ClusterScopedObjectsSpeakInDefault) {
  writer->Event(NewObject(api::kNodes, "", "n1"), "Normal", "Seen", "hello", "binder");
  const auto events = Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(Namespace(events[0]), "default");
  EXPECT_EQ(events[0]["reportingComponent"].AsString(), "binder");
}

TEST_F(EventsTest, EqualEventsCountUp) {
  Say("no room");
  stepper.RunFor(10s);
  Say("no room");
  Say("no room");
  Say("no room", "b");
  const auto events = Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["count"].AsInt(), 3);
  EXPECT_EQ(events[0]["firstTimestamp"].AsString(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(events[0]["lastTimestamp"].AsString(), "2026-01-01T00:00:10Z");
  EXPECT_EQ(events[1]["count"].AsInt(), 1);
}

TEST_F(EventsTest, CountingUpAnExpiredEventMakesANewOne) {
  Say("no room");
  const auto first = Events();
  ASSERT_TRUE(client.Delete(api::kEvents, KeyOf(first[0])));
  Say("no room");
  const auto events = Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["count"].AsInt(), 1);
}

TEST_F(EventsTest, ManyDifferentMessagesBecomeOneEvent) {
  for (int i = 0; i < 15; ++i) Say("attempt " + std::to_string(i));
  const auto events = Events();
  ASSERT_EQ(events.size(), 11u);
  const Value& combined = events.back();
  EXPECT_EQ(combined["message"].AsString(), "(combined from similar events): attempt 14");
  EXPECT_EQ(combined["count"].AsInt(), 5);
}

TEST_F(EventsTest, TalkativeObjectIsSilencedAndOthersAreNot) {
  for (int i = 0; i < 40; ++i) Say("again");
  Say("hello", "quiet");
  const auto events = Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["count"].AsInt(), 25);
  EXPECT_THAT(metrics->Text(), HasSubstr(R"(coppice_events_dropped_total{reason="spam"} 15)"));
  stepper.RunFor(5min);
  Say("again");
  EXPECT_EQ(Events()[0]["count"].AsInt(), 26);
}

TEST_F(EventsTest, WaitsWhileTheServerIsAway) {
  client.FailNext(2, base::Unavailable("down"));
  Say("no room");
  stepper.RunFor(15s);  // Two attempts.
  EXPECT_EQ(Events().size(), 0u);
  stepper.RunFor(10s);
  EXPECT_EQ(Events().size(), 1u);
}

TEST_F(EventsTest, RefusedEventIsDroppedAndTheNextGoesOn) {
  client.FailNext(1, base::Error(base::ErrorCode::kForbidden, "namespace is terminating"));
  Say("one");
  Say("two");
  const auto events = Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["message"].AsString(), "two");
  EXPECT_THAT(metrics->Text(), HasSubstr(R"(coppice_events_dropped_total{reason="refused"} 1)"));
}

TEST_F(EventsTest, FullQueueDropsAndCounts) {
  options.queue_limit = 3;
  writer = Make();
  for (int i = 0; i < 5; ++i) Say("hello", std::to_string(i));
  EXPECT_EQ(Events().size(), 3u);
  EXPECT_THAT(metrics->Text(), HasSubstr(R"(coppice_events_dropped_total{reason="queue_full"} 2)"));
}

TEST_F(EventsTest, ClosedWriterWritesNothing) {
  Say("no room");
  writer->Close();
  EXPECT_TRUE(Events().empty());
  writer.reset();
  stepper.RunFor(1min);
}

TEST_F(EventsTest, WhatLetUrgentWorkPassIsWrittenBeforeTheEnd) {
  PriorityTracker priorities;
  options.priorities = &priorities;
  writer = Make();
  const PriorityScope urgent(priorities, Priority::kHigh);
  for (int i = 0; i < 20; ++i) Say("hello", std::to_string(i));
  stepper.RunFor(200ms);
  EXPECT_EQ(Events().size(), 0u);
  writer.reset();
  EXPECT_EQ(Events().size(), 20u);
}

TEST_F(EventsTest, NothingHoldsUpTheEndWhenTheServerIsAway) {
  PriorityTracker priorities;
  options.priorities = &priorities;
  writer = Make();
  const PriorityScope urgent(priorities, Priority::kHigh);
  for (int i = 0; i < 20; ++i) Say("hello", std::to_string(i));
  stepper.RunFor(200ms);
  client.FailNext(1, base::Unavailable("away"));
  writer.reset();
  EXPECT_LT(Events().size(), 20u);
}

// A slow server: a write returns once so many are under way, or were before.
class SlowClient final : public InterceptedClient {
 public:
  SlowClient(Client& inner, int together) : InterceptedClient(inner), together_(together) {}

  bool WaitForWrites(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return order_.size() >= count; });
  }
  int most() const { return most_; }
  // Names of events, in the order in which they were written.
  const std::vector<std::string>& order() const { return order_; }

 private:
  base::Status Before(const Call&) override {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++inside_);
    changed_.notify_all();
    changed_.wait_for(lock, 20s, [&] { return most_ >= together_; });
    return {};
  }
  base::Status After(const Call& call, const base::Status& outcome) override {
    std::lock_guard lock(mutex_);
    --inside_;
    order_.push_back(call.key.name);
    changed_.notify_all();
    return outcome;
  }

  const int together_;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  int inside_ = 0;
  int most_ = 0;
  std::vector<std::string> order_;
};

TEST(EventLanes, WriteSeveralAtATimeAndKeepEachObjectsOrder) {
  FakeClient store;
  SlowClient client(store, 4);
  ThreadExecutor executor({.max_threads = 8});
  {
    EventWriter writer(client, executor, {.lanes = 4});
    for (int i = 0; i < 200; ++i) {
      const std::string name = "pod" + std::to_string(i % 20);
      writer.Event(PodWithUid(name), "Normal", "Step" + std::to_string(i / 20), "said", "");
    }
    ASSERT_TRUE(client.WaitForWrites(200));
  }
  EXPECT_EQ(client.most(), 4);
  std::map<std::string, Value> events;
  const auto list = store.List(api::kEvents);
  for (const Value& event : list->items) {
    events[std::string(Name(event))] = event;
  }
  std::map<std::string, int> next;
  for (const std::string& name : client.order()) {
    const std::string object = name.substr(0, name.find('.'));
    EXPECT_EQ(events[name]["reason"].AsString(), "Step" + std::to_string(next[object]++));
  }
  EXPECT_EQ(next.size(), 20u);
}

TEST(RecentMap, ForgetsTheLeastRecentlyUsed) {
  RecentMap<int> map(2);
  map["a"] = 1;
  map["b"] = 2;
  map["a"] += 10;
  map["c"] = 3;
  EXPECT_EQ(map["a"], 11);
  EXPECT_EQ(map["b"], 0);
  EXPECT_EQ(map.size(), 2u);
}

}  // namespace
}  // namespace coppice::kube
