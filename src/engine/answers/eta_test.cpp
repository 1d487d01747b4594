#include "engine/answers/eta.h"

#include <gmock/gmock.h>

#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Engine OneNode() {
  Engine engine(Configuration::Defaults());
  engine.KeepInputs();
  engine.PutNode(GpuNode("a", 8));
  engine.PutQueue(TopQueue("team"));
  return engine;
}

Runtime Known(base::Duration duration, std::optional<base::Time> started = kNow) {
  return {Runtime::Source::kAnnotation, {duration}, started};
}

TEST(Eta, StartsWhenWhatRunsEnds) {
  Engine engine = OneNode();
  PutGang(engine, "runs", {.shape = GpuShape(8), .priority = 60, .node = "a"});
  PutGang(engine, "waits", {.shape = GpuShape(8)});
  const auto answer = AskEta(engine, {"ns", "waits"}, {{{"ns", "runs"}, Known(2h)}}, kNow);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->state, EtaAnswer::State::kWaits);
  EXPECT_EQ(answer->position, 1);
  EXPECT_EQ(answer->p50, kNow + 2h);
  EXPECT_EQ(answer->p90, kNow + 2h);
  EXPECT_EQ(answer->runs, 1);
  ASSERT_EQ(answer->rests_on.size(), 1u);
  EXPECT_EQ(answer->rests_on[0].group.name, "runs");
  EXPECT_THAT(answer->nodes, ElementsAre("a"));
  EXPECT_EQ(engine.FindPod("waits-0")->status, TaskStatus::kPending);
}

TEST(Eta, WorkAheadComesFirst) {
  Engine engine = OneNode();
  PutGang(engine, "runs", {.shape = GpuShape(8), .priority = 70, .node = "a"});
  PutGang(engine, "ahead", {.shape = GpuShape(8), .priority = 60});
  PutGang(engine, "waits", {.shape = GpuShape(8)});
  const Runtimes runtimes = {{{"ns", "runs"}, Known(1h)}, {{"ns", "ahead"}, Known(3h, {})}};
  const auto answer = AskEta(engine, {"ns", "waits"}, runtimes, kNow);
  EXPECT_EQ(answer->position, 2);
  EXPECT_EQ(answer->queue_position, 2);
  EXPECT_EQ(answer->queue_length, 2);
  ASSERT_EQ(answer->ahead.size(), 1u);
  EXPECT_EQ(answer->ahead[0].group.name, "ahead");
  ASSERT_TRUE(answer->p50);
  EXPECT_GE(*answer->p50, kNow + 4h);
  EXPECT_LE(*answer->p50, kNow + 4h + 10s);
  EXPECT_EQ(answer->rests_on.size(), 2u);
}

TEST(Eta, SpreadOfSimilarWorkShows) {
  Engine engine = OneNode();
  PutGang(engine, "runs", {.shape = GpuShape(8), .priority = 60, .node = "a"});
  PutGang(engine, "waits", {.shape = GpuShape(8)});
  Runtime runtime{Runtime::Source::kSimilar, {}, kNow};
  for (int hours = 1; hours <= 10; ++hours) runtime.durations.emplace_back(hours * 1h);
  const auto answer =
      AskEta(engine, {"ns", "waits"}, {{{"ns", "runs"}, runtime}}, kNow, {.runs = 101});
  EXPECT_EQ(answer->runs, 101);
  EXPECT_GE(*answer->p50, kNow + 4h);
  EXPECT_LE(*answer->p50, kNow + 7h);
  EXPECT_GE(*answer->p90, kNow + 8h);
  EXPECT_EQ(answer->rests_on[0].samples, 10u);
}

TEST(Eta, UnknownEndsAreSaid) {
  Engine engine = OneNode();
  PutGang(engine, "runs", {.shape = GpuShape(8), .priority = 60, .node = "a"});
  PutGang(engine, "waits", {.shape = GpuShape(8)});
  auto answer = AskEta(engine, {"ns", "waits"}, {}, kNow);
  EXPECT_FALSE(answer->p50);
  EXPECT_THAT(answer->unknown, ElementsAre("runs"));
  EXPECT_THAT(answer->why, HasSubstr("nobody knows"));
  // It has already run for longer than estimated.
  const Runtimes late = {{{"ns", "runs"}, Known(1h, kNow - 2h)}};
  EXPECT_FALSE(AskEta(engine, {"ns", "waits"}, late, kNow)->p50);
  // A start in the future counts as now.
  const Runtimes early = {{{"ns", "runs"}, Known(1h, kNow + 48h)}};
  EXPECT_EQ(AskEta(engine, {"ns", "waits"}, early, kNow)->p50, kNow + 1h);
}

TEST(Eta, WhatRunsOrIsIncompleteHasNoStart) {
  Engine engine = OneNode();
  PutGang(engine, "runs", {.shape = GpuShape(8), .node = "a"});
  PutGang(engine, "gated", {.shape = GpuShape(8), .gated = true});
  PutGang(engine, "never", {.pods = 2, .shape = GpuShape(8)});
  EXPECT_EQ(AskEta(engine, {"ns", "runs"}, {}, kNow)->state, EtaAnswer::State::kRuns);
  const auto gated = AskEta(engine, {"ns", "gated"}, {}, kNow);
  EXPECT_EQ(gated->state, EtaAnswer::State::kNotReady);
  EXPECT_NE(gated->why, "");
  const auto never = AskEta(engine, {"ns", "never"}, {{{"ns", "runs"}, Known(1h)}}, kNow);
  EXPECT_FALSE(never->p50);
  EXPECT_NE(never->why, "");
  EXPECT_FALSE(AskEta(engine, {"ns", "nobody"}, {}, kNow));
}

}  // namespace
}  // namespace coppice::engine
