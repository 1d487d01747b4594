#include <gtest/gtest.h>

#include "engine/session/messages.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/status_testing.h"

// Surplus pods next to a gang of their set that waits for its minimum.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using std::chrono::seconds;

constexpr base::Duration kDelay = seconds(10);

Engine Team(base::Duration delay = kDelay) {
  Configuration configuration = Configuration::Defaults();
  configuration.surplus_delay = delay;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  return engine;
}

void PutOfSet(Engine& engine, const std::string& name, const std::string& set, int min) {
  PutGang(engine, name, {.pods = 3, .min = min, .shape = GpuShape(1), .set = set});
}

// "base" runs with its minimum, next to a free GPU that is too little for "scaled".
Engine BaseBesideScaled(const std::string& set_of_scaled, base::Duration delay = kDelay) {
  Engine engine = Team(delay);
  engine.PutNode(GpuNode("a", 1));
  PutOfSet(engine, "base", "wl", 1);
  EXPECT_EQ(engine.RunCycle(kNow - seconds(60)).binds.size(), 1u);
  PutOfSet(engine, "scaled", set_of_scaled, 2);
  engine.PutNode(GpuNode("b", 1));
  return engine;
}

TEST(SurplusHold, LeavesRoomUntilTheWaitingGangFits) {
  Engine engine = BaseBesideScaled("wl");
  const CycleResult held = engine.RunCycle(kNow);
  EXPECT_TRUE(held.binds.empty());
  EXPECT_EQ(
      StatusOf(held, "base").message,
      "RoomLeftToGang: Pods beyond the minimum leave free room to scaled of the same set until "
      "2025-12-18T00:00:10Z.");
  engine.PutNode(GpuNode("c", 1));
  const CycleResult whole = engine.RunCycle(kNow + seconds(1));
  ASSERT_EQ(whole.binds.size(), 2u);
  EXPECT_EQ(whole.binds[0].pod.name, "scaled-0");
  engine.PutNode(GpuNode("d", 1));
  EXPECT_EQ(engine.RunCycle(kNow + seconds(2)).binds.size(), 1u);
}

TEST(SurplusHold, EndsAfterTheDelay) {
  Engine engine = BaseBesideScaled("wl");
  EXPECT_TRUE(engine.RunCycle(kNow).binds.empty());
  EXPECT_TRUE(engine.RunCycle(kNow + kDelay - seconds(1)).binds.empty());
  const CycleResult after = engine.RunCycle(kNow + kDelay);
  ASSERT_EQ(after.binds.size(), 1u);
  EXPECT_EQ(after.binds[0].pod.name, "base-1");
  // Capacity that is freed later starts a new delay.
  engine.PutNode(GpuNode("c", 1));
  EXPECT_TRUE(engine.RunCycle(kNow + kDelay + seconds(5)).binds.empty());
  EXPECT_EQ(engine.RunCycle(kNow + 2 * kDelay + seconds(5)).binds.size(), 1u);
}

TEST(SurplusHold, ForNobodyButTheOwnSet) {
  for (const char* set : {"", "other"}) {
    Engine engine = BaseBesideScaled(set);
    EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 1u) << set;
  }
}

TEST(SurplusHold, NotWithoutADelay) {
  Engine engine = BaseBesideScaled("wl", base::Duration{});
  EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 1u);
}

// No action evicts others for pods that leave free capacity alone.
TEST(SurplusHold, EvictsNobody) {
  Engine engine = Team();
  engine.PutNode(GpuNode("a", 1));
  engine.PutNode(GpuNode("b", 2));
  PutGang(engine, "base", {.pods = 2, .min = 1, .shape = GpuShape(1), .node = "a", .set = "wl"});
  engine.RemovePod("base-1");
  PutGang(engine, "lower", {.shape = GpuShape(1), .priority = 10, .node = "b"});
  PodSpec more;
  more.uid = more.name = "base-1";
  more.shape = GpuShape(1);
  more.pod_group = "base";
  engine.PutPod(more);
  PutGang(engine, "scaled", {.pods = 3, .shape = GpuShape(1), .set = "wl"});
  const CycleResult held = engine.RunCycle(kNow);
  EXPECT_TRUE(held.binds.empty());
  EXPECT_TRUE(held.evictions.empty());
}

// A scaled gang's gates are removed only after its base gang is scheduled.
TEST(SurplusHold, ForAGangThatIsStillGated) {
  Engine engine = Team();
  for (const char* node : {"a", "b", "c"}) engine.PutNode(GpuNode(node, 1));
  PutOfSet(engine, "base", "wl", 1);
  PutGang(engine, "scaled", {.pods = 2, .shape = GpuShape(1), .set = "wl", .gated = true});
  EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 1u);
  PutGang(engine, "scaled", {.pods = 2, .shape = GpuShape(1), .set = "wl"});
  const CycleResult whole = engine.RunCycle(kNow + seconds(1));
  ASSERT_EQ(whole.binds.size(), 2u);
  EXPECT_EQ(whole.binds[0].pod.name, "scaled-0");
}

TEST(SurplusHold, IsExplained) {
  Engine engine = BaseBesideScaled("wl");
  const auto beside = [&](base::Time now) { return *engine.Explain("ns", "base", now); };
  ASSERT_TRUE(engine.RunCycle(kNow).binds.empty());
  const Explanation held = beside(kNow + seconds(4));
  EXPECT_EQ(held.verdict, Verdict::kWaits);
  EXPECT_EQ(held.reason, "RoomLeftToGang");
  EXPECT_EQ(
      held.summary,
      "1 of 3 pods run; there is room, which is left to scaled of the same set until it runs, "
      "at most until 2025-12-18T00:00:10Z");
  ASSERT_EQ(held.changes.size(), 1u);
  EXPECT_EQ(held.changes[0].text,
            "wait until 2025-12-18T00:00:10Z, when room is no longer left to scaled");
  // Then one of the two pods can be placed; the other lacks a GPU.
  EXPECT_EQ(beside(kNow + kDelay).reason, "Resources");
  engine.PutNode(GpuNode("c", 1));
  EXPECT_EQ(beside(kNow + kDelay).verdict, Verdict::kPlaceable);
}

// Another engine, which has decided nothing, gets the scheduler's message.
TEST(SurplusHold, IsExplainedFromItsMessage) {
  Engine engine = BaseBesideScaled("wl");
  const std::string said = StatusOf(engine.RunCycle(kNow), "base").message;
  ASSERT_EQ(SurplusHeldUntil("Node-Pool 'a': " + said), kNow + kDelay);
  EXPECT_FALSE(SurplusHeldUntil("PodSchedulingErrors: of the same set until tomorrow"));
  Engine other = BaseBesideScaled("wl");
  EXPECT_EQ(other.Explain("ns", "base", kNow)->reason, "RoomLeftToGang");
  other.SetSurplusHeldUntil("ns", "base", *SurplusHeldUntil(said));
  EXPECT_EQ(other.Explain("ns", "base", kNow + kDelay - seconds(1))->reason, "RoomLeftToGang");
  EXPECT_EQ(other.Explain("ns", "base", kNow + kDelay)->reason, "Resources");
}

}  // namespace
}  // namespace coppice::engine
