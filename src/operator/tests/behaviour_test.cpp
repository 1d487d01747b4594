// What the operator does after a set exists: updates, termination, scaling, steady state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

std::set<std::string> Uids(World& world, const std::string& selector = "") {
  std::set<std::string> uids;
  for (const json::Value& pod : world.List(api::kPods, selector)) uids.emplace(kube::Uid(pod));
  return uids;
}

size_t CountCommon(const std::set<std::string>& a, const std::set<std::string>& b) {
  size_t common = 0;
  for (const std::string& uid : a) common += b.contains(uid);
  return common;
}

TEST(OperatorBehaviour, SteadyStateWritesNothing) {
  for (const bool compatible : {false, true}) {
    World world(compatible ? GroveWorld() : DefaultWorld());
    world.Create(SmallSet());
    ASSERT_TRUE(world.Settle());
    const int64_t before = world.writes();
    world.RunFor(std::chrono::minutes(30));
    EXPECT_EQ(world.writes(), before);
    world.MergePatch(api::kPodCliqueSets, "demo",
                     "{metadata: {annotations: {grove.io/reconcile-trigger: now}}}");
    world.RunFor(std::chrono::minutes(1));
    EXPECT_EQ(world.writes(), before + 1);
    world.Restart();
    world.RunFor(std::chrono::minutes(1));
    EXPECT_EQ(world.writes(), before + 1);
  }
}

TEST(OperatorBehaviour, RollingRecreateKeepsTheMinimumReady) {
  World world(GroveWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  world.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  bool minimum_held = true;
  ASSERT_TRUE(world.stepper.RunUntil(
      [&] {
        int ready = 0;
        for (const json::Value& pod : world.List(api::kPods, "grove.io/podclique=demo-0-fe")) {
          ready += kube::ConditionIs(pod, "Ready", "True") && !kube::IsDeleting(pod);
        }
        minimum_held &= ready >= 1;
        return PodsWithImage(world, "i:2") == 8;
      },
      std::chrono::minutes(10)));
  EXPECT_TRUE(minimum_held);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(world.Get(api::kPodCliqueSets, "demo")["status"]["updatedReplicas"].AsInt(), 1);
}

TEST(OperatorBehaviour, ASecondChangeDuringAnUpdateWins) {
  World world(GroveWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  world.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  world.RunFor(std::chrono::seconds(2));
  world.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:3"));
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(PodsWithImage(world, "i:3"), 8);
}

TEST(OperatorBehaviour, OnDeleteLeavesPodsToTheUser) {
  World world(GroveWorld());
  world.Create(SmallSet("i:1", 1, "OnDelete"));
  ASSERT_TRUE(world.Settle());
  const auto before = Uids(world);
  world.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(Uids(world), before);
  const json::Value progress = world.Get(api::kPodCliqueSets, "demo")["status"]["updateProgress"];
  EXPECT_TRUE(progress.Has("updateEndedAt"));
  EXPECT_EQ(progress["totalPodCliquesCount"].AsInt(), 1);
  EXPECT_EQ(progress["updatedPodCliquesCount"].AsInt(), 0);
  world.Delete(api::kPods, std::string(kube::Name(world.PodOf("demo-0-fe-0"))));
  world.Delete(api::kPods, std::string(kube::Name(world.PodOf("demo-0-g-1-wk-1"))));
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(PodsWithImage(world, "i:2"), 2);
  // Scaling in removes the outdated pod.
  world.Scale(api::kPodCliques, "demo-0-fe", 1);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(world.PodOf("demo-0-fe-0")["spec"]["containers"].At(0)["image"].AsString(), "i:2");
}

// Users who replace pods manually can see in the records of groups and their cliques what is left
// to do.
TEST(OperatorBehaviour, OnDeleteKeepsRecordsOfGroupsAndTheirCliques) {
  World world(GroveWorld());
  world.Create(SmallSet("i:1", 1, "OnDelete"));
  ASSERT_TRUE(world.Settle());
  const auto record = [&](const api::Resource& resource, const std::string& name) {
    return world.Get(resource, name)["status"]["updateProgress"];
  };
  const auto hash = [](const json::Value& progress) {
    EXPECT_TRUE(progress.Has("updateStartedAt") && progress.Has("updateEndedAt"));
    return progress["podCliqueSetGenerationHash"].ToString();
  };
  const std::string first = hash(record(api::kPodCliqueScalingGroups, "demo-0-g"));
  EXPECT_EQ(hash(record(api::kPodCliques, "demo-0-g-1-wk")), first);
  EXPECT_FALSE(record(api::kPodCliqueSets, "demo").IsObject());

  world.MergePatch(api::kPodCliqueSets, "demo", ImagePatch("i:2"));
  ASSERT_TRUE(world.Settle());
  const std::string second = hash(record(api::kPodCliqueScalingGroups, "demo-0-g"));
  EXPECT_NE(second, first);
  EXPECT_EQ(hash(record(api::kPodCliques, "demo-0-g-1-wk")), second);
  const json::Value clique = world.Get(api::kPodCliques, "demo-0-g-1-wk");
  EXPECT_EQ(clique["status"]["updatedReplicas"].AsInt(), 0);
  EXPECT_EQ(clique["status"]["currentPodCliqueSetGenerationHash"].AsString(), first);
  EXPECT_EQ(PodsWithImage(world, "i:2"), 0);
}

TEST(OperatorBehaviour, ABreachEndsTheReplicaAfterItsDelay) {
  World world(GroveWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  const auto before = Uids(world);
  world.SetReady("demo-0-fe-0", false);
  world.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(CountCommon(Uids(world), before), 8u) << "one of two may fail: the minimum is one";
  world.SetReady("demo-0-fe-1", false);
  world.RunFor(std::chrono::seconds(5));
  EXPECT_EQ(CountCommon(Uids(world), before), 8u) << "the delay is not over";
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(CountCommon(Uids(world), before), 0u);
  EXPECT_EQ(world.List(api::kPods).size(), 8u);
  EXPECT_EQ(world.Get(api::kPodCliqueSets, "demo")["status"]["availableReplicas"].AsInt(), 1);
}

// Not scheduled, then healthy, then too many unready pods: the reason of each.
TEST(OperatorBehaviour, TheBreachConditionSaysWhy) {
  World::Options options = GroveWorld();
  options.bind = false;
  World world(std::move(options));
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  const auto breach = [&] {
    const json::Value condition =
        kube::Condition(world.Get(api::kPodCliques, "demo-0-fe"), "MinAvailableBreached");
    return condition["status"].ToString() + " " + condition["reason"].ToString();
  };
  EXPECT_EQ(breach(), "True ScheduledReplicasBelowMinAvailable");
  world.bind = true;
  for (const std::string& pod : world.Names(api::kPods)) world.Delete(api::kPods, pod);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(breach(), "False SufficientReadyPods");
  world.SetReady("demo-0-fe-0", false);
  world.RunFor(std::chrono::seconds(5));
  EXPECT_EQ(breach(), "False SufficientReadyPods") << "the minimum is one";
  world.SetReady("demo-0-fe-1", false);
  world.RunFor(std::chrono::seconds(5));
  EXPECT_EQ(breach(), "True InsufficientReadyPods");
}

TEST(OperatorBehaviour, ABreachedGroupReplicaEndsAlone) {
  World world(GroveWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  const auto before = Uids(world);
  const auto group = Uids(world, "grove.io/podcliquescalinggroup-replica-index=1");
  world.SetReady("demo-0-g-1-wk-0", false);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(CountCommon(Uids(world), before), 5u);
  EXPECT_EQ(CountCommon(Uids(world), group), 0u);
}

TEST(OperatorBehaviour, ASetThatNeverRanIsNotTerminated) {
  World::Options options = GroveWorld();
  options.bind = false;
  World world(std::move(options));
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  const auto before = Uids(world);
  ASSERT_EQ(before.size(), 8u);
  world.RunFor(std::chrono::minutes(10));
  EXPECT_EQ(Uids(world), before);
}

TEST(OperatorBehaviour, FinishedPodsAreReplacedUnderTheirIndex) {
  World world(GroveWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  const json::Value pod = world.PodOf("demo-0-fe-1");
  ASSERT_TRUE(
      world.client
          ->Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kMerge,
                  json::Value::Object({{"status", json::Value::Object({{"phase", "Failed"}})}}),
                  {.subresource = "status"})
          .ok());
  ASSERT_TRUE(world.Settle());
  EXPECT_NE(kube::Uid(world.PodOf("demo-0-fe-1")), kube::Uid(pod));
  EXPECT_EQ(world.List(api::kPods).size(), 8u);
}

TEST(OperatorBehaviour, ScalingReusesTheLowestIndices) {
  World world(GroveWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  world.Scale(api::kPodCliques, "demo-0-fe", 4);
  ASSERT_TRUE(world.Settle());
  world.Delete(api::kPods, std::string(kube::Name(world.PodOf("demo-0-fe-1"))));
  ASSERT_TRUE(world.Settle());
  std::set<std::string> hostnames;
  for (const json::Value& pod : world.List(api::kPods, "grove.io/podclique=demo-0-fe")) {
    hostnames.insert(pod["spec"]["hostname"].ToString());
  }
  EXPECT_THAT(hostnames,
              ::testing::ElementsAre("demo-0-fe-0", "demo-0-fe-1", "demo-0-fe-2", "demo-0-fe-3"));
}

TEST(OperatorBehaviour, ScaledGangsFollowTheScalingGroup) {
  World world(GroveWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  world.Scale(api::kPodCliqueScalingGroups, "demo-0-g", 4);
  ASSERT_TRUE(world.Settle());
  EXPECT_THAT(world.Names(api::kPodGangs),
              ::testing::UnorderedElementsAre("demo-0", "demo-0-g-0", "demo-0-g-1", "demo-0-g-2"));
  world.Scale(api::kPodCliqueScalingGroups, "demo-0-g", 1);
  ASSERT_TRUE(world.Settle());
  EXPECT_THAT(world.Names(api::kPodGangs), ::testing::ElementsAre("demo-0"));
  EXPECT_EQ(world.List(api::kPods).size(), 5u);
}

TEST(OperatorBehaviour, GangsCarryTheBackendsLabelAndGate) {
  World::Options options = DefaultWorld();
  options.bind = false;
  World world(std::move(options));
  world.Create(SmallSet());
  world.RunFor(std::chrono::milliseconds(1));
  world.Settle();
  const json::Value gang = world.Get(api::kPodGangs, "demo-0");
  EXPECT_EQ(kube::Label(gang, "grove.io/scheduler-backend"), "default");
  EXPECT_EQ(kube::Label(gang, "app.kubernetes.io/part-of"), "demo");
}

}  // namespace
}  // namespace coppice::operators
