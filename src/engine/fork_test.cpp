#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/apply.h"
#include "engine/properties/random_world_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

std::string PrintDecided(const CycleResult& result) {
  std::string out;
  for (const auto& bind : result.binds) {
    out += fmt::format("bind {} {} {}\n", bind.pod.uid, bind.node, bind.gpu_groups.size());
  }
  for (const auto& evict : result.evictions) out += fmt::format("evict {}\n", evict.pod.uid);
  for (const auto& plan : result.pipelined) {
    out += fmt::format("pipeline {} {}\n", plan.pod.uid, plan.node);
  }
  return out;
}

Engine BuildKept(const RandomWorld& world) {
  Engine engine(world.configuration);
  engine.KeepInputs();
  for (const auto& spec : world.nodes) Put(engine, spec);
  for (const auto& spec : world.queues) Put(engine, spec);
  for (const auto& spec : world.topologies) Put(engine, spec);
  for (const auto& spec : world.groups) Put(engine, spec);
  for (const auto& spec : world.pods) Put(engine, spec);
  return engine;
}

// A fork decides what its original decides, cycle by cycle, also about what was decided before.
TEST(Fork, DecidesTheSame) {
  int decided = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    RandomWorld world{Choices(seed)};
    if (world.gpu_placement == "leastfragmentation") continue;  // It remembers what is gone.
    Engine engine = BuildKept(world);
    for (int cycle = 0; cycle < 3; ++cycle) {
      Engine fork = engine.Fork();
      const CycleResult expected = engine.RunCycle(world.now);
      ASSERT_EQ(PrintDecided(fork.RunCycle(world.now)), PrintDecided(expected))
          << "seed " << seed << " cycle " << cycle << "\n"
          << world.Describe();
      decided += static_cast<int>(expected.binds.size() + expected.evictions.size());
      world.now += std::chrono::seconds(30);
    }
  }
  EXPECT_GT(decided, 100);
}

TEST(Fork, LeavesNoTrace) {
  const RandomWorld world{Choices(7)};
  Engine engine = BuildKept(world), same = BuildKept(world);
  engine.Fork().RunCycle(world.now);
  engine.AnythingWaits(world.now);
  EXPECT_EQ(PrintDecided(engine.RunCycle(world.now)), PrintDecided(same.RunCycle(world.now)));
}

}  // namespace
}  // namespace coppice::engine
