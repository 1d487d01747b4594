// The condition Ready of a set, for `kubectl wait --for=condition=Ready pcs/NAME`.
#include <gtest/gtest.h>

#include "api/view/meta.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

constexpr char kReadySet[] =
    "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}, spec: {replicas: 1, "
    "template: {cliques: [{name: w, spec: {roleName: w, replicas: 2, podSpec: {containers: [{name: "
    "c, image: i}]}}}]}}}";

// Status and reason.
std::string ReadinessOf(World& world) {
  const json::Value set = world.Get(api::kPodCliqueSets, "s");
  const view::meta::Condition ready(kube::Condition(set, "Ready"));
  if (!ready) return "none";
  EXPECT_EQ(ready.observedGeneration(), kube::Generation(set));
  return fmt::format("{} {}", ready.status(), ready.reason());
}

TEST(SetReady, FollowsTheReplicas) {
  World world(DefaultWorld());
  world.bind = false;
  world.Create(kReadySet);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(ReadinessOf(world), "False ReplicasUnavailable");
  world.bind = true;  // From now on, which is for new pods.
  for (const std::string& pod : world.Names(api::kPods)) world.Delete(api::kPods, pod);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(ReadinessOf(world), "True ReplicasAvailable");
  world.Scale(api::kPodCliqueSets, "s", 2);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(ReadinessOf(world), "True ReplicasAvailable");
  world.Scale(api::kPodCliqueSets, "s", 0);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(ReadinessOf(world), "True ReplicasAvailable");
}

TEST(SetReady, GrovesStatusStaysGroves) {
  World world(GroveWorld());
  world.Create(kReadySet);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(ReadinessOf(world), "none");
}

}  // namespace
}  // namespace coppice::operators
