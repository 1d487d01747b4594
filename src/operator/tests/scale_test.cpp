// Sets with many replicas (SC1–SC8): after every scaling exactly the desired objects exist, and
// another reconcile writes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/write.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

class Scale : public ::testing::Test {
 protected:
  Scale() {
    world_.Create(
        "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: big}, spec: "
        "{replicas: 0, template: {cliques: [{name: w, spec: {roleName: w, replicas: 2, podSpec: "
        "{containers: [{name: c, image: i}]}}}]}}}");
  }

  void ScaleTo(int replicas) {
    SCOPED_TRACE(fmt::format("{} replicas", replicas));
    world_.Scale(api::kPodCliqueSets, "big", replicas);
    ASSERT_TRUE(world_.Settle());
    const auto count = static_cast<size_t>(replicas);
    ExpectReady(count);
    EXPECT_EQ(world_.List(api::kPodGangs).size(), count);
    EXPECT_EQ(world_.List(api::kServices).size(), count);
    ExpectConverged(api::kPodCliques, count);
    const json::Value set = world_.Get(api::kPodCliqueSets, "big");
    EXPECT_EQ(set["status"]["availableReplicas"].AsInt(), replicas);
    EXPECT_EQ(set["status"]["updatedReplicas"].AsInt(), replicas);
    ExpectConverged(api::kPodCliqueSets, 1);
  }

  void ExpectReady(size_t replicas) {
    size_t ready = 0;
    for (const json::Value& pod : world_.List(api::kPods)) {
      ready += kube::ConditionIs(pod, "Ready", "True") && !kube::IsDeleting(pod);
    }
    EXPECT_EQ(ready, replicas * 2);
    EXPECT_EQ(world_.List(api::kPods).size(), replicas * 2);
  }

  void ExpectConverged(const api::Resource& resource, size_t count) {
    const auto objects = world_.List(resource);
    EXPECT_EQ(objects.size(), count);
    for (const json::Value& object : objects) {
      EXPECT_FALSE(kube::IsDeleting(object)) << kube::Name(object);
      EXPECT_EQ(object["status"]["observedGeneration"].AsInt(), kube::Generation(object));
      EXPECT_TRUE(object["status"]["lastErrors"].empty()) << kube::Name(object);
    }
  }

  World world_{GroveWorld()};
};

TEST_F(Scale, Tiny) {
  ScaleTo(5);
  ScaleTo(0);
}

TEST_F(Scale, HundredReplicasUpAndDown) {
  ScaleTo(50);
  ScaleTo(100);
  const int64_t before = world_.writes();
  world_.MergePatch(api::kPodCliqueSets, "big",
                    "{metadata: {annotations: {grove.io/reconcile-trigger: now}}}");
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(world_.writes(), before + 1);
  ScaleTo(50);
  ScaleTo(0);
}

TEST_F(Scale, Soak) {
  for (int cycle = 0; cycle < 10; ++cycle) {
    ScaleTo(20);
    ScaleTo(10);
  }
}

// Two replicas of a standalone clique "first", and two of a group whose clique starts after it.
constexpr char kFirstAndGroup[] =
    "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}, spec: {replicas: 2, "
    "template: {cliqueStartupType: CliqueStartupTypeInOrder, cliques: [{name: first, spec: "
    "{roleName: first, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}, {name: then, "
    "spec: {roleName: then, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}], "
    "podCliqueScalingGroups: [{name: g, cliqueNames: [then], replicas: 2}]}}}";

class Surplus : public ::testing::Test {
 protected:
  // The cliques cannot be deleted, and lose their pods.
  void Lose(const std::vector<std::string>& hostnames) {
    for (const std::string& hostname : hostnames) {
      const std::string pod(kube::Name(world_.PodOf(hostname)));
      ASSERT_FALSE(pod.empty()) << hostname;
      world_.Delete(api::kPods, pod);
    }
    world_.RunFor(std::chrono::seconds(30));
  }
  void ExpectWithoutPods(const std::vector<std::string>& cliques) {
    for (const std::string& clique : cliques) {
      EXPECT_TRUE(world_.List(api::kPods, "grove.io/podclique=" + clique).empty()) << clique;
      const json::Value errors = world_.Get(api::kPodCliques, clique)["status"]["lastErrors"];
      EXPECT_TRUE(errors.empty()) << json::Write(errors);
    }
  }

  World world_{DefaultWorld()};
};

TEST_F(Surplus, CliquesOfASetThatWasScaledDownGetNoPods) {
  world_.Create(kFirstAndGroup);
  ASSERT_TRUE(world_.Settle());
  world_.Refuse(
      "{apiGroups: [grove.io], apiVersions: ['*'], operations: [DELETE], resources: "
      "[podcliques, podcliquescalinggroups]}",
      "false");
  world_.Scale(api::kPodCliqueSets, "s", 1);
  Lose({"s-1-first-0", "s-1-g-0-then-0"});
  ExpectWithoutPods({"s-1-first", "s-1-g-0-then"});
  world_.RefuseNothing();
  world_.Scale(api::kPodCliqueSets, "s", 2);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(world_.List(api::kPods).size(), 6u);
}

TEST_F(Surplus, CliquesOfAGroupThatWasScaledDownGetNoPods) {
  world_.Create(kFirstAndGroup);
  ASSERT_TRUE(world_.Settle());
  world_.Refuse(
      "{apiGroups: [grove.io], apiVersions: ['*'], operations: [DELETE], resources: "
      "[podcliques]}",
      "false");
  world_.Scale(api::kPodCliqueScalingGroups, "s-0-g", 1);
  Lose({"s-0-g-1-then-0"});
  ExpectWithoutPods({"s-0-g-1-then"});
}

}  // namespace
}  // namespace coppice::operators
