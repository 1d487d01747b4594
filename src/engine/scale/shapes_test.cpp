#include <gtest/gtest.h>

#include <algorithm>

#include "engine/scale/shapes_testing.h"

// The benchmark shapes in small sizes: checks that they are what they claim, in any size.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

const base::Time kNow{std::chrono::hours(24 * 365 * 56)};

CycleResult RunShape(const char* name, int nodes, int jobs) {
  Engine engine = FindShape(name).make({nodes, jobs});
  EXPECT_TRUE(engine.FindNode(Padded("n", nodes - 1))) << name;
  EXPECT_FALSE(engine.FindNode(Padded("n", nodes))) << name;
  return engine.RunCycle(kNow);
}

TEST(Shapes, TakeTheirSizes) {
  for (const Shape& shape : KaiShapes()) {
    for (const Shape::Size size : {Shape::Size{3, 2}, Shape::Size{20, 10}}) {
      const CycleResult result = RunShape(shape.name, size.nodes, size.jobs);
      EXPECT_TRUE(result.problems.empty()) << shape.name;
      EXPECT_FALSE(result.actions.empty()) << shape.name;
    }
  }
}

TEST(Shapes, AreWhatTheySay) {
  EXPECT_EQ(RunShape("Allocate", 4, 50).binds.size(), 32u) << "as many as there are GPUs";
  EXPECT_EQ(RunShape("GangScheduling", 4, 20).binds.size(), 32u) << "eight gangs of four";
  // Half of the jobs run, and the others fit next to them.
  EXPECT_EQ(RunShape("FullSchedulingCycle", 4, 20).binds.size(), 10u);
  EXPECT_EQ(RunShape("ManyQueues", 4, 20).binds.size(), 10u);
  // Every victim gets another place.
  const CycleResult moved = RunShape("Consolidation", 4, 20);
  EXPECT_EQ(moved.pipelined.size(), moved.evictions.size() + 10);
  EXPECT_FALSE(RunShape("Preempt", 2, 64).evictions.empty());
}

TEST(Shapes, OfReclaimTakeWhatIsTheirs) {
  const CycleResult large = RunShape("ReclaimLargeJobs", 10, 5);
  EXPECT_EQ(large.pipelined.size(), 5u);
  EXPECT_EQ(large.evictions.size(), 40u);
  EXPECT_EQ(RunShape("ReclaimManySingles", 10, 80).evictions.size(), 40u);
  EXPECT_TRUE(RunShape("ManySinglesWithMinRuntime", 10, 80).evictions.empty());
  for (const char* name : {"Unschedulable", "UnschedulableAntiAffinity", "UnschedulableTopology",
                           "ReclaimWithMissingPvcJobs"}) {
    const CycleResult refused = RunShape(name, 20, 10);
    EXPECT_TRUE(refused.evictions.empty()) << name;
    EXPECT_TRUE(refused.pipelined.empty()) << name;
  }
}

}  // namespace
}  // namespace coppice::engine
