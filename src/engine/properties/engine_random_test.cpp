#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "engine/properties/any_choices_testing.h"
#include "engine/properties/random_world_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// COPPICE_SEEDS=FROM-TO runs other seeds than the default ones.
std::pair<uint32_t, uint32_t> Seeds(uint32_t count) {
  if (const char* given = std::getenv("COPPICE_SEEDS")) {
    unsigned from = 1, to = count;
    if (std::sscanf(given, "%u-%u", &from, &to) == 2) return {from, to};
  }
  return {1, count};
}

std::string Print(const CycleResult& result) {
  std::string out;
  for (const auto& bind : result.binds) {
    out +=
        fmt::format("bind {} {} {}\n", bind.pod.name, bind.node, fmt::join(bind.gpu_groups, " "));
  }
  for (const auto& evict : result.evictions) {
    out += fmt::format("{} {}: {}\n", evict.action, evict.pod.name, evict.message);
  }
  for (const auto& plan : result.pipelined) {
    out += fmt::format("pipeline {} {}\n", plan.pod.name, plan.node);
  }
  for (const auto& group : result.groups) {
    out += fmt::format("{} {}\n", group.group.name, group.message);
  }
  return out;
}

// Carries out the decisions, and updates the engine with the changed pods and groups.
void CarryOut(const CycleResult& result, RandomWorld& world, Engine& engine) {
  const auto pod_of = [&](const PodKey& key) -> PodSpec& {
    return *std::find_if(world.pods.begin(), world.pods.end(),
                         [&](const PodSpec& pod) { return pod.uid == key.uid; });
  };
  for (const auto& bind : result.binds) {
    PodSpec& pod = pod_of(bind.pod);
    pod.status = TaskStatus::kRunning;
    pod.node = bind.node;
    pod.gpu_groups = bind.gpu_groups;
    engine.PutPod(pod);
  }
  for (const auto& evict : result.evictions) {
    PodSpec& pod = pod_of(evict.pod);
    pod.status = TaskStatus::kPending;
    pod.node.clear();
    pod.gpu_groups.clear();
    engine.PutPod(pod);
  }
  for (const auto& status : result.groups) {
    PodGroupSpec& group =
        *std::find_if(world.groups.begin(), world.groups.end(),
                      [&](const auto& given) { return given.name == status.group.name; });
    group.last_start = status.last_start;
    group.last_eviction = status.last_eviction;
    group.stale_since = status.stale_since;
    engine.PutPodGroup(group);
  }
}

// The rules broken by the first cycles in this world; empty if none.
std::string Broken(RandomWorld world, int cycles = 1) {
  Engine engine = world.Build();
  for (int cycle = 1; cycle <= cycles; ++cycle) {
    engine.OpenCycle(world.now);
    for (const auto& action : world.configuration.actions) engine.RunAction(action);
    const auto broken = BrokenRules(world, engine, engine.SoFar());
    if (!broken.empty()) {
      return fmt::format("cycle {}: {}\n{}\n{}", cycle, fmt::join(broken, "\n"),
                         Print(engine.SoFar()), world.Describe());
    }
    CarryOut(engine.CloseCycle(), world, engine);
    world.now += std::chrono::seconds(30);
  }
  return "";
}

TEST(EngineRandom, NoCycleBreaksARule) {
  const auto [from, to] = Seeds(300);
  for (uint32_t seed = from; seed <= to; ++seed) {
    EXPECT_EQ(Broken(RandomWorld{Choices(seed)}), "") << "seed " << seed;
  }
  for (const uint32_t seed : {905}) {  // Failed once.
    EXPECT_EQ(Broken(RandomWorld{Choices(seed)}), "") << "seed " << seed;
  }
}

// State that an engine keeps between cycles must not break any rule either.
TEST(EngineRandom, NoLaterCycleBreaksARule) {
  const auto [from, to] = Seeds(100);
  for (uint32_t seed = from; seed <= to; ++seed) {
    EXPECT_EQ(Broken(RandomWorld{Choices(seed)}, 4), "") << "seed " << seed;
  }
}

RC_GTEST_PROP(EngineShrinking, NoCycleBreaksARule, ()) {
  const std::string broken = Broken(RandomWorld{*AnyChoices()});
  if (!broken.empty()) RC_FAIL(broken);
}

RC_GTEST_PROP(EngineShrinking, TheOrderOfArrivalDecidesNothing, ()) {
  const RandomWorld world{*AnyChoices()};
  RC_LOG() << world.Describe();
  const std::string first = Print(world.Build().RunCycle(world.now));
  RC_ASSERT(first == Print(world.Build().RunCycle(world.now)));
  RC_ASSERT(first == Print(world.Build(7).RunCycle(world.now)));
}

TEST(EngineRandom, TheOrderOfArrivalDecidesNothing) {
  const auto [from, to] = Seeds(100);
  for (uint32_t seed = from; seed <= to; ++seed) {
    const RandomWorld world{Choices(seed)};
    const std::string first = Print(world.Build().RunCycle(world.now));
    ASSERT_EQ(first, Print(world.Build().RunCycle(world.now))) << "seed " << seed;
    ASSERT_EQ(first, Print(world.Build(seed + 1).RunCycle(world.now))) << "seed " << seed;
  }
}

// Decisions without the ids of new GPU groups, which each engine draws from its own sequence.
std::string Places(const CycleResult& result) {
  std::string out;
  for (const auto& bind : result.binds) out += fmt::format("{} {}\n", bind.pod.name, bind.node);
  for (const auto& evict : result.evictions) {
    out += fmt::format("{} {}: {}\n", evict.action, evict.pod.name, evict.message);
  }
  for (const auto& plan : result.pipelined) out += fmt::format("{} {}\n", plan.pod.name, plan.node);
  return out;
}

// The first cycle whose decisions differ from those of a new engine with the same input.
int FirstDifference(RandomWorld world) {
  if (world.gpu_placement == "leastfragmentation") return 0;  // Depends on what it has seen.
  Engine engine = world.Build();
  CarryOut(engine.RunCycle(world.now), world, engine);
  for (int cycle = 2; cycle <= 4; ++cycle) {
    world.now += std::chrono::seconds(30);
    const CycleResult expected = world.Build().RunCycle(world.now);
    const CycleResult got = engine.RunCycle(world.now);
    if (Places(expected) != Places(got)) return cycle;
    CarryOut(got, world, engine);
  }
  return 0;
}

TEST(EngineRandom, DeltasLeadToTheSameDecisionsAsAFreshStart) {
  const auto [from, to] = Seeds(100);
  for (uint32_t seed = from; seed <= to; ++seed) {
    ASSERT_EQ(FirstDifference(RandomWorld{Choices(seed)}), 0) << "seed " << seed;
  }
}

RC_GTEST_PROP(EngineShrinking, DeltasLeadToTheSameDecisionsAsAFreshStart, ()) {
  const RandomWorld world{*AnyChoices()};
  RC_LOG() << world.Describe();
  RC_ASSERT(FirstDifference(world) == 0);
}

std::map<std::string, double> GpuShares(const CycleResult& result) {
  std::map<std::string, double> shares;
  for (const auto& queue : result.queues) {
    if (queue.queue != "default") shares[queue.queue] = queue.fair_share[2];
  }
  return shares;
}

// Without the hierarchy, projects behave as siblings under one root without bounds.
RC_GTEST_PROP(EngineShrinking, ProjectLevelFairnessIsThatOfOneRoot, ()) {
  RandomWorld flat{*AnyChoices()};
  RandomWorld rooted = flat;
  flat.configuration.full_hierarchy_fairness = false;
  std::erase_if(rooted.queues, [](const QueueSpec& queue) { return queue.parent.empty(); });
  for (auto& queue : rooted.queues) queue.parent = "default";
  QueueSpec root;
  root.name = "default";
  root.cpu = root.memory = root.gpu = {-1, -1, 1};
  root.creation = rooted.now;
  rooted.queues.push_back(root);
  RC_LOG() << flat.Describe();
  const CycleResult one = flat.Build().RunCycle(flat.now);
  const CycleResult other = rooted.Build().RunCycle(rooted.now);
  RC_ASSERT(GpuShares(one) == GpuShares(other));
  RC_ASSERT(one.binds.size() == other.binds.size());
  RC_ASSERT(one.evictions.size() == other.evictions.size());
  for (size_t i = 0; i < one.binds.size(); ++i) {
    RC_ASSERT(one.binds[i].pod.name == other.binds[i].pod.name);
    RC_ASSERT(one.binds[i].node == other.binds[i].node);
  }
  for (size_t i = 0; i < one.evictions.size(); ++i) {
    RC_ASSERT(one.evictions[i].pod.name == other.evictions[i].pod.name);
  }
}

}  // namespace
}  // namespace coppice::engine
