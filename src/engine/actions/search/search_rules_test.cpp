#include <gtest/gtest.h>

#include "engine/actions/search/scenario_filter.h"
#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/status_testing.h"

// What the victim search does not try.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// A full cluster in which no waiting pod can be placed; returns how often it was tried.
int64_t Searches(bool signatures, const std::vector<std::shared_ptr<PodShape>>& waiting) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  configuration.use_scheduling_signatures = signatures;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 2));
  PutGang(engine, "equal", {.shape = GpuShape(2), .node = "a"});
  for (size_t i = 0; i < waiting.size(); ++i) {
    PutGang(engine, "w" + std::to_string(i), {.shape = waiting[i]});
  }
  CycleResult result = engine.RunCycle(kNow);
  int64_t searches = 0;
  for (const auto& [name, count] : result.actions["preempt"].search_results) searches += count;
  return searches;
}

TEST(SchedulingSignatures, WhatIsNoEasierThanAFailureIsNotTried) {
  EXPECT_EQ(Searches(false, {GpuShape(2), GpuShape(2)}), 2);
  EXPECT_EQ(Searches(true, {GpuShape(2), GpuShape(2)}), 1);
  // Requests are not part of the signature, but smaller ones are easier.
  EXPECT_EQ(Searches(true, {GpuShape(2), GpuShape(1)}), 2);
  EXPECT_EQ(Searches(true, {GpuShape(1), GpuShape(2)}), 1);
  auto elsewhere = GpuShape(2);
  elsewhere->node_selector["disk"] = "fast";
  EXPECT_EQ(Searches(true, {GpuShape(2), elsewhere}), 2);
}

// The number of searches for a pod with a higher priority than the one that holds the GPU, and the
// message.
std::pair<int64_t, std::string> SearchedAndSaid(const std::shared_ptr<PodShape>& shape) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 1));
  PutGang(engine, "low", {.shape = GpuShape(1), .node = "a"});
  PutGang(engine, "high", {.shape = shape, .priority = 75});
  CycleResult result = engine.RunCycle(kNow);
  int64_t searches = 0;
  for (const auto& [name, count] : result.actions["preempt"].search_results) searches += count;
  return {searches, StatusOf(result, "high").message};
}

TEST(VictimInvariant, WhatNoVictimCanMendIsSaidAndNotSearchedFor) {
  EXPECT_EQ(SearchedAndSaid(GpuShape(1)).first, 1);
  auto unset = GpuShape(1);
  unset->containers[0].config_maps = {"settings"};
  auto empty = GpuShape(1);
  empty->volume_claims = {{"data"}};
  for (const auto& [shape, said] :
       {std::pair(unset, "Missing required configmaps: [settings]"),
        {empty, "persistentvolumeclaim \"data\" not found"},
        {GpuShape(2), "Max GPU resources available in a single node"}}) {
    const auto [searches, message] = SearchedAndSaid(shape);
    EXPECT_EQ(searches, 0) << said;
    EXPECT_NE(message.find(said), std::string::npos) << message;
  }
}

TEST(SearchBudget, AnActionThatRunsOutOfTimeStops) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  configuration.use_scheduling_signatures = false;
  Engine engine(configuration);
  PutOneVictimAndTwoWaiting(engine);
  base::Instant time;
  engine.SetStopwatch([&] { return time += std::chrono::minutes(10); });
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_TRUE(result.evictions.empty());
  int64_t searches = 0;
  for (const auto& [name, count] : result.actions.at("preempt").search_results) {
    EXPECT_TRUE(name == "deadline_exhausted" || name == "not_attempted") << name;
    searches += count;
  }
  EXPECT_EQ(searches, 1);
  EXPECT_TRUE(result.actions.at("preempt").budget_exhausted);
}

TEST(IdleGpuFilter, FillsTheLargestFirstAndSoRefusesWhatABetterPackingWouldHold) {
  EXPECT_TRUE(GreedyMatch({4, 4}, {8}));
  EXPECT_TRUE(GreedyMatch({0, 0}, {}));
  EXPECT_FALSE(GreedyMatch({9}, {8, 8}));
  EXPECT_FALSE(GreedyMatch({4, 4, 4}, {8, 3}));
  // 5 and 3 would fill the first, 4 the second.
  EXPECT_TRUE(GreedyMatch({5, 4, 3}, {8, 4}));
  // 4 and 3 would fill the first, 5 the second; but 5 goes first, to the largest.
  EXPECT_FALSE(GreedyMatch({5, 4, 3}, {7, 5}));
}

// As in upstream: what is left of a GPU with 0.8 used is less than 0.2.
TEST(IdleGpuFilter, AddsPartsOfGpusInFloatingPoint) {
  EXPECT_TRUE(GreedyMatchOfParts({0.5, 0.5}, {1}));
  EXPECT_TRUE(GreedyMatchOfParts({0.2}, {1 - 0.75}));
  EXPECT_FALSE(GreedyMatchOfParts({0.2}, {1 - 0.8}));
}

}  // namespace
}  // namespace coppice::engine
