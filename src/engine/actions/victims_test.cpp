#include <gtest/gtest.h>

#include <set>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"

// Which pods are evicted, and which would not have had to be.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// An elastic gang loses a pod to another queue, and preempts in its own queue in the same cycle:
// the waiting pod gets the place, not the evicted one.
TEST(Evictions, AreForGood) {
  Engine engine(Configuration::Defaults());
  QueueSpec busy = TopQueue("busy", 1);
  busy.reclaim_min_runtime = std::chrono::hours(1);
  engine.PutQueue(busy);
  engine.PutQueue(TopQueue("other", 1));
  engine.PutNode(GpuNode("a", 2));
  engine.PutNode(GpuNode("b", 1));
  PutGang(engine, "elastic",
          {.queue = "busy",
           .pods = 2,
           .min = 1,
           .shape = GpuShape(1),
           .priority = 80,
           .node = "a",
           .creation = kNow});
  PodSpec third;
  third.uid = third.name = "elastic-2";
  third.shape = GpuShape(1);
  third.pod_group = "elastic";
  engine.PutPod(third);
  PutGang(engine, "low",
          {.queue = "busy", .shape = GpuShape(1), .priority = 10, .node = "b", .creation = kNow});
  PutGang(engine, "reclaims", {.queue = "other", .shape = GpuShape(1)});
  const CycleResult result = engine.RunCycle(kNow);
  std::set<std::string> evicted, planned;
  for (const auto& eviction : result.evictions) evicted.insert(eviction.pod.name);
  for (const auto& plan : result.pipelined) planned.insert(plan.pod.name);
  EXPECT_EQ(evicted, (std::set<std::string>{"elastic-1", "low-0"}));
  EXPECT_EQ(planned, (std::set<std::string>{"elastic-2", "reclaims-0"}));
}

// A pod with two GPUs that only fits if a pod of the other queue moves.
size_t MovedForReclaim(bool allow_consolidating) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"reclaim"};
  configuration.allow_consolidating_reclaim = allow_consolidating;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("all"));
  engine.PutQueue(ChildQueue("mine", "all", 2));
  engine.PutQueue(ChildQueue("theirs", "all", 1));  // Has exactly what it deserves.
  engine.PutNode(GpuNode("large", 2));
  engine.PutNode(GpuNode("small", 1));
  PutGang(engine, "moves", {.queue = "theirs", .shape = GpuShape(1), .node = "large"});
  PutGang(engine, "wants", {.queue = "mine", .shape = GpuShape(2)});
  const CycleResult result = engine.RunCycle(kNow);
  if (!result.evictions.empty()) {
    EXPECT_EQ(result.pipelined.size(), 2u);  // The victim too.
  }
  return result.evictions.size();
}

TEST(ConsolidatingReclaim, VictimsThatMoveAreNoneWhereThatIsAllowed) {
  EXPECT_EQ(MovedForReclaim(true), 1u);
  EXPECT_EQ(MovedForReclaim(false), 0u);
}

TEST(Victims, AreCounted) {
  // Four GPUs, one each for four jobs; a job with two pods takes as many as it needs.
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 4));
  for (int i = 0; i < 4; ++i) {
    PutGang(engine, "v" + std::to_string(i), {.shape = GpuShape(1), .node = "a"});
  }
  PutGang(engine, "wants", {.pods = 2, .shape = GpuShape(1), .priority = 75});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_EQ(result.actions.at("preempt").victims, 2);
  EXPECT_EQ(result.actions.at("preempt").victims_beyond_need, 0);
}

// A job loses its pods, last one first, until the required node is free.
TEST(Victims, ThoseThatCouldHaveStayedAreTold) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  PutGang(engine, "v", {.pods = 4, .min = 1, .shape = GpuShape(1)});
  for (int i = 0; i < 4; ++i) {
    PodSpec pod;
    pod.name = pod.uid = "v-" + std::to_string(i);
    pod.pod_group = "v";
    pod.shape = GpuShape(1);
    pod.node = "n" + std::to_string(i);
    pod.status = TaskStatus::kRunning;
    engine.PutNode(GpuNode(pod.node, 1, {{"host", pod.node}}));
    engine.PutPod(pod);
  }
  auto shape = GpuShape(1);
  shape->node_selector["host"] = "n1";
  PutGang(engine, "wants", {.shape = shape, .priority = 75});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_EQ(result.evictions.size(), 3u);
  // One of the three gets another place; one of the others could have stayed.
  EXPECT_EQ(result.actions.at("preempt").victims, 2);
  EXPECT_EQ(result.actions.at("preempt").victims_beyond_need, 1);
}

// A victim that frees quota in its queue is needed, although its GPUs are not.
TEST(Victims, ThoseThatTheQueueHasNoRoomForAreNeeded) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team", -1, 1));
  engine.PutNode(GpuNode("a", 1));
  engine.PutNode(GpuNode("b", 1));
  PutGang(engine, "low", {.shape = GpuShape(1), .node = "a"});
  PutGang(engine, "high", {.shape = GpuShape(1), .priority = 75});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_EQ(result.actions.at("preempt").victims, 1);
  EXPECT_EQ(result.actions.at("preempt").victims_beyond_need, 0);
}

// A department that is already above its share, one with twice its share, and one that waits for
// what it cannot use: the first reclaims a GPU from the second.
size_t ReclaimedUnder(const std::string& multiplier) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"reclaim"};
  for (auto& plugin : configuration.plugins) {
    if (plugin.name == "proportion") {
      plugin.arguments["relcaimerSaturationMultiplier"] = multiplier;
    }
  }
  Engine engine(configuration);
  for (const char* name : {"d0", "d1", "d2"}) engine.PutQueue(TopQueue(name, 0));
  engine.PutQueue(ChildQueue("wants", "d0", 0));
  engine.PutQueue(ChildQueue("has", "d0", 0));
  engine.PutQueue(ChildQueue("most", "d1", 0));
  engine.PutQueue(ChildQueue("stuck", "d2", 0));
  engine.PutNode(GpuNode("a", 12));
  PutGang(engine, "runs", {.queue = "has", .shape = GpuShape(4), .node = "a"});
  for (int i = 0; i < 8; ++i) {
    PutGang(engine, "v" + std::to_string(i), {.queue = "most", .shape = GpuShape(1), .node = "a"});
  }
  auto nowhere = GpuShape(4);
  nowhere->node_selector["disk"] = "none has it";
  PutGang(engine, "blocked", {.queue = "stuck", .shape = nowhere});
  PutGang(engine, "asks", {.queue = "wants", .shape = GpuShape(1)});
  return engine.RunCycle(kNow).evictions.size();
}

TEST(SaturationRule, TheReclaimerMustBeLessSaturatedEvenWithTheMultiplier) {
  // 5 of 4 against 7 of 4.
  EXPECT_EQ(ReclaimedUnder("1.0"), 1u);
  EXPECT_EQ(ReclaimedUnder("1.3"), 1u);
  EXPECT_EQ(ReclaimedUnder("1.5"), 0u);
  EXPECT_EQ(ReclaimedUnder("0.1"), 1u);  // Not below one.
}

}  // namespace
}  // namespace coppice::engine
