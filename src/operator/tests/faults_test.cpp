// The operator under reordered events, lost responses, conflicts, broken watches and restarts: it
// always reaches the same state.
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

constexpr uint64_t kSeeds = 20;

World::Options Faulty(World::Options options) {
  options.faults = {.error = 0.03,
                    .conflict = 0.05,
                    .error_after_write = 0.02,
                    .watch_cut = 0.02,
                    .watch_expired = 0.01,
                    .watch_delay = std::chrono::milliseconds(200)};
  return options;
}

// Runs for a while, with a restart in the middle, and then without faults.
void RunThroughTrouble(World& world) {
  world.RunFor(std::chrono::seconds(3));
  world.Restart();
  world.RunFor(std::chrono::seconds(20));
  world.EndFaults();
  ASSERT_TRUE(world.Settle());
  ASSERT_EQ(BrokenPods(world), "");
}

void ExpectWhole(World& world, int replicas) {
  const json::Value set = world.Get(api::kPodCliqueSets, "demo");
  EXPECT_EQ(set["status"]["availableReplicas"].AsInt(), replicas);
  EXPECT_EQ(set["status"]["updatedReplicas"].AsInt(), replicas);
  EXPECT_TRUE(set["status"]["lastErrors"].empty());
  EXPECT_EQ(world.List(api::kPods).size(), 8u * replicas);
  EXPECT_EQ(world.List(api::kPodGangs).size(), 2u * replicas);
  EXPECT_EQ(world.List(api::kPodCliques).size(), 5u * replicas);
  EXPECT_EQ(world.List(api::kServices, "app.kubernetes.io/part-of=demo").size(),
            static_cast<size_t>(replicas));
}

TEST(OperatorUnderFaults, CreatesScalesAndDeletes) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    World world(Faulty(GroveWorld(seed)));
    world.Create(SmallSet());
    ASSERT_NO_FATAL_FAILURE(RunThroughTrouble(world));
    ExpectWhole(world, 1);
    world.Scale(api::kPodCliqueSets, "demo", 2);
    ASSERT_TRUE(world.Settle());
    ExpectWhole(world, 2);
    world.Scale(api::kPodCliqueSets, "demo", 1);
    ASSERT_TRUE(world.Settle());
    ExpectWhole(world, 1);
    world.Delete(api::kPodCliqueSets, "demo");
    ASSERT_TRUE(world.Settle());
    EXPECT_TRUE(world.List(api::kPods).empty());
    EXPECT_TRUE(world.List(api::kPodCliques).empty());
  }
}

TEST(OperatorUnderFaults, UpdatesToTheNewTemplate) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    World world(Faulty(GroveWorld(seed)));
    world.Create(SmallSet());
    ASSERT_NO_FATAL_FAILURE(RunThroughTrouble(world));
    world.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
    ASSERT_NO_FATAL_FAILURE(RunThroughTrouble(world));
    EXPECT_EQ(PodsWithImage(world, "i:2"), 8);
    ExpectWhole(world, 1);
    EXPECT_TRUE(
        world.Get(api::kPodCliqueSets, "demo")["status"]["updateProgress"].Has("updateEndedAt"));
  }
}

TEST(OperatorUnderFaults, WorksWithOurOwnNamesToo) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    World world(Faulty(DefaultWorld(seed)));
    world.Create(SmallSet());
    ASSERT_NO_FATAL_FAILURE(RunThroughTrouble(world));
    ExpectWhole(world, 1);
  }
}

}  // namespace
}  // namespace coppice::operators
