// Pods are created one, two, four, … at a time; a batch with a failure is the last one.
#include <gtest/gtest.h>

#include <set>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using json::Value;

// The cluster rejects pods with this hostname.
void Refuse(World& world, const std::string& hostname) {
  world.Refuse("{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}",
               "object.spec.hostname != '" + hostname + "'");
}

TEST(SlowStart, AFailingCreateStopsAfterItsBatch) {
  World world(DefaultWorld());
  Refuse(world, "s-0-w-3");
  world.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}, spec: {replicas: "
      "1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 12, podSpec: {containers: "
      "[{name: c, image: i}]}}}]}}}");
  world.RunFor(std::chrono::seconds(30));
  std::set<std::string> hostnames;
  for (const Value& pod : world.List(api::kPods)) {
    hostnames.insert(pod["spec"]["hostname"].ToString());
  }
  // Batches of 1, 2 and 4: the third has the rejected pod, so there is no fourth. Each later retry
  // starts, and ends, with the rejected one.
  EXPECT_EQ(hostnames, (std::set<std::string>{"s-0-w-0", "s-0-w-1", "s-0-w-2", "s-0-w-4", "s-0-w-5",
                                              "s-0-w-6"}));
  const Value errors = world.Get(api::kPodCliques, "s-0-w")["status"]["lastErrors"];
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.At(0)["code"].AsString(), "ERR_CREATE_POD");
}

// False while a pod is missing, True once all exist.
TEST(InitializedGang, IsToldWhenPodsAreMissingAndWhenTheyAreThere) {
  World world(DefaultWorld());
  Refuse(world, "s-0-w-0");
  world.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}, spec: {replicas: "
      "1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: "
      "[{name: c, image: i}]}}}]}}}");
  world.RunFor(std::chrono::seconds(5));
  const Value missing = world.Get(api::kPodGangs, "s-0");
  EXPECT_TRUE(kube::ConditionIs(missing, "Initialized", "False"));
  EXPECT_EQ(kube::Condition(missing, "Initialized")["reason"].AsString(),
            "PodGangPodsCreationPending");
  EXPECT_EQ(missing["status"]["phase"].AsString(), "Pending");
  world.RefuseNothing();
  world.RunFor(std::chrono::minutes(1));
  EXPECT_TRUE(kube::ConditionIs(world.Get(api::kPodGangs, "s-0"), "Initialized", "True"));
}

// However long it failed.
TEST(Retry, PodsComeWithinAMinuteOfTheMending) {
  World world(DefaultWorld());
  Refuse(world, "s-0-w-0");
  world.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}, spec: {replicas: "
      "1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: "
      "[{name: c, image: i}]}}}]}}}");
  world.RunFor(std::chrono::hours(5));
  EXPECT_TRUE(world.List(api::kPods).empty());
  world.RefuseNothing();
  world.RunFor(std::chrono::seconds(61));
  EXPECT_EQ(world.List(api::kPods).size(), 1u);
  EXPECT_TRUE(world.Get(api::kPodCliques, "s-0-w")["status"]["lastErrors"].empty());
}

}  // namespace
}  // namespace coppice::operators
