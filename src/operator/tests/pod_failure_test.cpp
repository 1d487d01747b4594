// Pods that cannot be created: the set is rejected if the API server can tell from the template.
// Otherwise it is reported on the clique, its group and the set, and cleared when the cause is
// gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using json::Value;
using testing::AllOf;
using testing::HasSubstr;

// Clique w alone and clique g in a group, both with this pod spec.
std::string SetOf(const std::string& pod_spec) {
  return "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}, spec: "
         "{replicas: 1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 1, podSpec: " +
         pod_spec + "}}, {name: g, spec: {roleName: g, replicas: 1, podSpec: " + pod_spec +
         "}}], podCliqueScalingGroups: [{name: grp, cliqueNames: [g]}]}}}";
}

std::string OneOf(const std::string& pod_spec) {
  return "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}, spec: "
         "{replicas: 1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 1, podSpec: " +
         pod_spec + "}}]}}}";
}

std::string RefusalOf(World& world, const std::string& set) {
  const auto created = world.TryCreate(*json::ParseYaml(set));
  return created ? "" : created.error().message();
}

constexpr char kNobodysPriority[] =
    "{priorityClassName: nobody, containers: [{name: c, image: i}]}";

Value FailureOn(World& world, const api::Resource& resource, const std::string& name) {
  return kube::Condition(world.Get(resource, name), "ReplicaFailure");
}

TEST(PodTemplates, ThatNoPodCanHaveAreRefused) {
  World world(DefaultWorld());
  EXPECT_THAT(RefusalOf(world, OneOf("{containers: [{name: c}]}")),
              HasSubstr("spec.template.cliques[0].spec.podSpec.containers[0].image: Required"));
  EXPECT_THAT(RefusalOf(world, OneOf("{containers: [{name: Not_A_Label, image: i}]}")),
              HasSubstr("cliques[0].spec.podSpec.containers[0].name: Invalid value"));
  EXPECT_THAT(
      RefusalOf(world, OneOf("{containers: [{name: c, image: i, resources: {requests: {cpu: "
                             "2}, limits: {cpu: 1}}}]}")),
      HasSubstr("podSpec.containers[0].resources.requests: Invalid value"));
  EXPECT_THAT(
      RefusalOf(world, OneOf("{containers: [{name: c, image: i, volumeMounts: [{name: gone, "
                             "mountPath: /a}]}]}")),
      HasSubstr("podSpec.containers[0].volumeMounts[0].name: Not found: \"gone\""));
  EXPECT_EQ(RefusalOf(world, OneOf("{containers: [{name: c, image: i}]}")), "");
}

// Once, with Grove's message.
TEST(PodTemplates, WhatGroveSaysIsNotSaidAgain) {
  World world(DefaultWorld());
  const std::string refusal =
      RefusalOf(world, OneOf("{containers: [{name: c, image: i, env: [{name: 1A}]}]}"));
  EXPECT_THAT(refusal, HasSubstr("podSpec.spec.containers[0].env[0].name: Invalid value"));
  EXPECT_EQ(refusal.find("podSpec.containers"), std::string::npos) << refusal;
}

TEST(PodTemplates, AreCheckedWhereTheyChange) {
  World world(DefaultWorld());
  world.Create(OneOf("{containers: [{name: c, image: i}]}"));
  const auto patched = world.client->Patch(
      api::kPodCliqueSets, {World::kNamespace, "s"}, kube::PatchType::kJson,
      *json::ParseYaml("[{op: remove, path: "
                       "/spec/template/cliques/0/spec/podSpec/containers/0/image}]"));
  ASSERT_FALSE(patched);
  EXPECT_THAT(patched.error().message(), HasSubstr("podSpec.containers[0].image: Required value"));
}

// A set that was created while the operator was down can still be scaled, labelled and deleted.
TEST(PodTemplates, ThatAreBadAlreadyHoldNothingUp) {
  World world(GroveWorld());
  world.Create(OneOf("{containers: [{name: c}]}"));
  world.RestartWith(DefaultWorld().config.backends);
  world.MergePatch(api::kPodCliqueSets, "s", "{metadata: {labels: {a: b}}, spec: {replicas: 2}}");
  world.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(FailureOn(world, api::kPodCliqueSets, "s")["message"].ToString(),
              HasSubstr("spec.containers[0].image: Required value"));
  world.Delete(api::kPodCliqueSets, "s");
  EXPECT_TRUE(world.Settle());
  EXPECT_FALSE(world.Exists(api::kPodCliqueSets, "s"));
}

TEST(ReplicaFailure, IsToldAllTheWayUpAndTakenBack) {
  World world(DefaultWorld());
  world.Create(SetOf(kNobodysPriority));
  world.RunFor(std::chrono::seconds(5));
  const Value clique = FailureOn(world, api::kPodCliques, "s-0-w");
  EXPECT_EQ(clique["status"].AsString(), "True");
  EXPECT_EQ(clique["reason"].AsString(), "FailedCreate");
  EXPECT_THAT(clique["message"].ToString(), AllOf(HasSubstr("\"s-0-w-*\""), HasSubstr("nobody")));
  EXPECT_THAT(FailureOn(world, api::kPodCliqueScalingGroups, "s-0-grp")["message"].ToString(),
              testing::StartsWith("PodClique s-0-grp-0-g: "));
  const Value set = FailureOn(world, api::kPodCliqueSets, "s");
  EXPECT_EQ(set["reason"].AsString(), "FailedCreate");
  EXPECT_EQ(set["message"].ToString(), "PodClique s-0-w: " + clique["message"].ToString());
  world.Create(
      "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: nobody}, value: "
      "7}");
  world.RunFor(std::chrono::seconds(70));
  EXPECT_TRUE(FailureOn(world, api::kPodCliques, "s-0-w").IsNull());
  EXPECT_TRUE(FailureOn(world, api::kPodCliqueScalingGroups, "s-0-grp").IsNull());
  EXPECT_TRUE(FailureOn(world, api::kPodCliqueSets, "s").IsNull());
}

TEST(ReplicaFailure, IsAnEventOnTheSet) {
  World world(DefaultWorld());
  world.Create(SetOf(kNobodysPriority));
  world.RunFor(std::chrono::seconds(30));
  int told = 0;
  for (const Value& event : world.List(api::kEvents)) {
    if (event["involvedObject"]["kind"].AsString() != "PodCliqueSet") continue;
    if (event["reason"].AsString() != "FailedCreate") continue;
    EXPECT_EQ(event["type"].AsString(), "Warning");
    ++told;
  }
  EXPECT_EQ(told, 1);
}

// A failed retry writes nothing, except the event that counts the attempts.
TEST(ReplicaFailure, IsWrittenOnce) {
  World world(DefaultWorld());
  world.Create(SetOf(kNobodysPriority));
  world.RunFor(std::chrono::minutes(5));
  const auto objects = [&] {
    std::vector<Value> all;
    for (const api::Resource& resource :
         {api::kPodCliqueSets, api::kPodCliqueScalingGroups, api::kPodCliques, api::kPodGangs}) {
      for (Value& object : world.List(resource)) all.push_back(std::move(object));
    }
    return all;
  };
  const std::vector<Value> before = objects();
  world.RunFor(std::chrono::hours(1));
  EXPECT_EQ(objects(), before);
}

// Its finalizer is removed by an update, which goes through admission.
TEST(DisabledScheduler, ItsSetsCanStillGo) {
  World::Options options = DefaultWorld();
  options.config.backends.profiles.push_back({.name = "volcano", .backend = "volcano"});
  World world(options);
  world.Create(OneOf("{schedulerName: volcano, containers: [{name: c, image: i}]}"));
  world.RunFor(std::chrono::seconds(5));
  world.RestartWith(DefaultWorld().config.backends);
  world.MergePatch(api::kPodCliqueSets, "s", "{metadata: {finalizers: [example.com/mine]}}");
  world.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(FailureOn(world, api::kPodCliqueSets, "s")["message"].ToString(),
              HasSubstr("no enabled scheduler backend serves schedulerName \"volcano\""));
  world.Delete(api::kPodCliqueSets, "s");
  world.MergePatch(api::kPodCliqueSets, "s", "{metadata: {finalizers: null}}");
  EXPECT_TRUE(world.Settle());
  EXPECT_FALSE(world.Exists(api::kPodCliqueSets, "s"));
}

TEST(ReplicaFailure, OfTheSetItself) {
  World world(DefaultWorld());
  world.Create(
      "{apiVersion: v1, kind: ResourceQuota, metadata: {name: none}, spec: {hard: {services: 0}}}");
  world.RunFor(std::chrono::seconds(5));
  world.Create(OneOf("{containers: [{name: c, image: i}]}"));
  world.RunFor(std::chrono::seconds(5));
  const Value failure = FailureOn(world, api::kPodCliqueSets, "s");
  EXPECT_EQ(failure["reason"].AsString(), "FailedSync");
  EXPECT_THAT(failure["message"].ToString(), HasSubstr("exceeded quota"));
}

TEST(ReplicaFailure, IsNoneOfGroves) {
  World world(GroveWorld());
  world.Create(SetOf("{containers: [{name: c}]}"));
  world.RunFor(std::chrono::seconds(30));
  EXPECT_EQ(world.Get(api::kPodCliques, "s-0-w")["status"]["lastErrors"].size(), 1u);
  EXPECT_TRUE(FailureOn(world, api::kPodCliques, "s-0-w").IsNull());
  EXPECT_TRUE(FailureOn(world, api::kPodCliqueSets, "s").IsNull());
}

}  // namespace
}  // namespace coppice::operators
