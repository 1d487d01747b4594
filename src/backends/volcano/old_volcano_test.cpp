// A Volcano older than sub-groups (1.14): reported on its CRD, and on each gang with several roles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/tests/example_testing.h"
#include "backends/volcano/volcano.h"
#include "kube/object.h"

namespace coppice::backends::volcano {
namespace {

using json::Value;
using testing::HasSubstr;

// The CRD without the additions of 1.14.
void MakeOld(World& world) {
  Value crd = world.Get(api::kCustomResourceDefinitions, "", kPodGroups.QualifiedName());
  for (Value& version : crd.Mutable("spec").Mutable("versions").MutableItems()) {
    version.Mutable("schema")
        .Mutable("openAPIV3Schema")
        .Mutable("properties")
        .Mutable("spec")
        .Mutable("properties")
        .Erase("subGroupPolicy");
  }
  ASSERT_TRUE(world.client->Update(api::kCustomResourceDefinitions, crd));
  world.RunFor(std::chrono::seconds(5));
}

// The kinds of objects that events with this reason are about.
std::vector<std::string> Told(World& world, std::string_view reason) {
  std::vector<std::string> kinds;
  for (const Value& event : world.List(api::kEvents)) {
    if (event["reason"].AsString() != reason) continue;
    kinds.push_back(event["involvedObject"]["kind"].ToString());
  }
  return kinds;
}

World::Options Options(const std::string& more) {
  return {.projects = {"grove", "volcano"},
          .config = "{" + more + "scheduler: {profiles: [{name: volcano}]}}"};
}

const Value& NoTopology() {
  static const Value changes = Yaml(
      "{spec: {topologyConstraint: null, topologyConstraintGroupConfigs: null, podgroups: [{name: "
      "llm-0-fe, minReplicas: 2, podReferences: []}, {name: llm-0-pf-0-wk, minReplicas: 4, "
      "podReferences: []}]}}");
  return changes;
}

TEST(OldVolcano, IsToldOnItsDefinitionAndOnGangs) {
  World world(Options(""));
  EXPECT_TRUE(Told(world, kCapabilityUnavailable).empty());
  MakeOld(world);
  EXPECT_EQ(Told(world, kCapabilityUnavailable),
            std::vector<std::string>{"CustomResourceDefinition"});
  OpenQueue(world, "team-a");
  Example example(world, "volcano", NoTopology());
  example.CreatePods();
  world.RunFor(std::chrono::seconds(5));
  EXPECT_THAT(example.Synced(), HasSubstr("True"));
  EXPECT_EQ(example.Condition("TranslationDegraded")["status"].AsString(), "True");
  EXPECT_THAT(example.Condition("TranslationDegraded")["message"].ToString(),
              HasSubstr("minTaskMember"));
  EXPECT_EQ(world.List(kPodGroups).at(0)["spec"]["minTaskMember"].size(), 2u);
}

// If pods only have sub-group labels, a group without sub-groups would never be complete.
TEST(OldVolcano, UnderGrovesNamesGangsWait) {
  World world(Options("compatibility: grove, "));
  MakeOld(world);
  world.RunFor(std::chrono::minutes(2));  // CRDs are not watched in this profile.
  Example example(world, "volcano", NoTopology());
  world.RunFor(std::chrono::seconds(5));
  EXPECT_TRUE(world.List(kPodGroups).empty());
  EXPECT_THAT(Told(world, kCapabilityUnavailable),
              testing::UnorderedElementsAre("CustomResourceDefinition", "PodGang"));
}

}  // namespace
}  // namespace coppice::backends::volcano
