// API writes per gang with 1,000 gangs, and none on a second reconcile.
#include <gtest/gtest.h>

#include "backends/tests/world_testing.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr int kGangs = 1000;

TEST(ManyGangs, OneObjectOneAnnotationOneStatusEach) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  for (int i = 0; i < kGangs; ++i) {
    Value gang = ExampleGang("kai-scheduler");
    gang.Mutable("metadata").Set("name", "g-" + std::to_string(i)).Erase("uid");
    gang.Mutable("metadata").Mutable("annotations").Set("kai.scheduler/skip-podgrouper", "true");
    gang.Mutable("spec").Erase("topologyConstraint");
    gang.Mutable("spec").Mutable("podgroups").MutableAt(1).Erase("topologyConstraint");
    gang = world.CreateGang(gang);
    world.Initialize("ai", "g-" + std::to_string(i));
  }
  world.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(world.List(api::kPodGroups).size(), size_t{kGangs});
  // The PodGroup and the status; what races with our own Initialize is written again.
  EXPECT_LE(world.writes(), 3 * kGangs);
  const int64_t before = world.writes();
  for (int i = 0; i < kGangs; ++i) {
    world.manager->Enqueue("backend-kai", {"ai", "g-" + std::to_string(i)});
  }
  world.RunFor(std::chrono::minutes(30));
  EXPECT_EQ(world.writes(), before);
}

}  // namespace
}  // namespace coppice::backends
