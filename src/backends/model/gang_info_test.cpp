#include "backends/model/gang_info.h"

#include <gtest/gtest.h>

#include "backends/gangs/gang_builder.h"
#include "backends/model/names.h"
#include "backends/model/requests.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

TEST(GangInfo, ReadsBackWhatItWrites) {
  Value gang = ExampleGang("kai-scheduler");
  gang.Mutable("spec").Set("topologyConstraintGroupConfigs",
                           Yaml("[{name: c, podGroupNames: [llm-0-fe], topologyConstraint: "
                                "{packConstraint: {required: zone}}}]"));
  gang.Mutable("spec").Set("reuseReservationRef", Yaml("{namespace: ai, name: old}"));
  EXPECT_EQ(GangSpec(GangFromObject(gang)), gang["spec"]);
}

TEST(GangInfo, TopologyNameFallsBackToKais) {
  Value gang = ExampleGang("kai-scheduler");
  gang.Mutable("metadata").Set("annotations", Yaml("{kai.scheduler/topology: t}"));
  EXPECT_EQ(GangFromObject(gang).topology_name, "t");
}

base::Status Check(const std::string& spec) {
  Value gang = ExampleGang("kai-scheduler");
  gang.Set("spec", Yaml(spec));
  return ValidateTree(GangFromObject(gang));
}

std::string PathOf(const base::Status& status) {
  return status.ok() ? "" : status.error().causes().at(0).field;
}

TEST(GangTree, EveryBrokenRuleIsNamedWithItsPath) {
  EXPECT_EQ(PathOf(Check("{podgroups: [{name: a}, {name: a}]}")), "spec.podgroups[1].name");
  EXPECT_EQ(PathOf(Check("{podgroups: [{name: a, podReferences: [{namespace: ai, name: p}, "
                         "{namespace: b, name: p}]}]}")),
            "spec.podgroups[0].podReferences[1].namespace");
  EXPECT_EQ(PathOf(Check("{podgroups: [{name: a}], topologyConstraintGroupConfigs: [{name: c, "
                         "podGroupNames: [a, x]}]}")),
            "spec.topologyConstraintGroupConfigs[0].podGroupNames[1]");
  EXPECT_EQ(PathOf(Check("{podgroups: [{name: a}], topologyConstraintGroupConfigs: [{name: c, "
                         "podGroupNames: [a]}, {name: d, podGroupNames: [a]}]}")),
            "spec.topologyConstraintGroupConfigs[1].podGroupNames[0]");
  EXPECT_TRUE(Check("{podgroups: [{name: a}], topologyConstraintGroupConfigs: [{name: c, "
                    "podGroupNames: []}]}")
                  .ok());
}

TEST(GangBuilder, BaseAndScaledGangsOfTheExample) {
  const std::vector<PodGangInfo> gangs =
      BuildGangs(ExampleSet("kai-scheduler"), {.levels = LevelsFromBinding(ExampleBinding())});
  ASSERT_EQ(gangs.size(), 2u);
  EXPECT_EQ(gangs[0].name, "llm-0");
  EXPECT_EQ(gangs[0].topology_name, "dc1");
  Value expected = ExampleGang("")["spec"];
  for (Value& group : expected.Mutable("podgroups").MutableItems()) {
    group.Set("podReferences", Value::Array());
  }
  EXPECT_EQ(GangSpec(gangs[0]), expected);
  EXPECT_EQ(gangs[1].name, "llm-0-pf-0");
  EXPECT_EQ(gangs[1].base_gang, "llm-0");
  EXPECT_EQ(gangs[1].pod_groups.at(0).name, "llm-0-pf-1-wk");
  EXPECT_EQ(gangs[1].pod_groups.at(0).scaling_group_replica, 1);
}

TEST(GangBuilder, LiveScalingGroupReplicasWinOverTheTemplate) {
  EXPECT_EQ(BuildGangs(ExampleSet("x"), {.scaling_group_replicas = {{"llm-0-pf", 5}}}).size(), 5u);
  EXPECT_EQ(BuildGangs(ExampleSet("x"), {.scaling_group_replicas = {{"llm-0-pf", 1}}}).size(), 1u);
}

TEST(GangBuilder, GroupConstraintBecomesAConfig) {
  Value set = ExampleSet("x");
  set.Mutable("spec")
      .Mutable("template")
      .Mutable("podCliqueScalingGroups")
      .MutableAt(0)
      .Set("topologyConstraint", Yaml("{pack: {required: host}}"));
  const std::vector<PodGangInfo> gangs =
      BuildGangs(set, {.levels = LevelsFromBinding(ExampleBinding())});
  ASSERT_EQ(gangs[0].group_configs.size(), 1u);
  EXPECT_EQ(gangs[0].group_configs[0].name, "llm-0-pf-0");
  EXPECT_EQ(gangs[1].topology.required, "kubernetes.io/hostname");
  EXPECT_TRUE(gangs[1].group_configs.empty());
}

TEST(GangBuilder, TemplatesAreFoundBehindGroupNames) {
  PodGangInfo gang = GangFromObject(ExampleScaledGang("x"));
  AddTemplates(ExampleSet("x"), gang);
  const PodGroupInfo& group = gang.pod_groups.at(0);
  EXPECT_EQ(group.clique_template, "wk");
  EXPECT_EQ(group.scaling_group, "llm-0-pf");
  EXPECT_EQ(group.scaling_group_replica, 1);
  EXPECT_EQ(group.template_min_replicas, 4);
  EXPECT_TRUE(group.pod_spec.Has("containers"));
}

TEST(Names, ShortIsStableUniqueAndLegal) {
  EXPECT_EQ(Short("abc", 63), "abc");
  const std::string a(64, 'a'), b = std::string(63, 'a') + "b", c = std::string(250, 'x') + ".-c";
  for (const std::string& name : {a, b, c}) {
    EXPECT_LE(Short(name, 63).size(), 63u);
    EXPECT_EQ(Short(name, 63), Short(name, 63));
  }
  EXPECT_NE(Short(a, 63), Short(b, 63));
  EXPECT_EQ(Short(std::string(52, 'x') + "-.-tail-that-is-long", 63).find(".-"), std::string::npos);
  EXPECT_EQ(Short(a, 63), std::string(52, 'a') + "-" + HashHex(a, 10));
}

TEST(Names, HashIsSha256) {
  EXPECT_EQ(HashHex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HashHex("abc", 5), "ba781");
}

TEST(Names, LabelsHaveNoDots) {
  EXPECT_EQ(ShortLabel("plain"), "plain");
  EXPECT_EQ(ShortLabel("a.b").find('.'), std::string::npos);
  EXPECT_NE(ShortLabel("a.b"), ShortLabel("a-b"));
  EXPECT_LE(ShortLabel(std::string(200, 'a') + ".b").size(), 63u);
}

TEST(Requests, EffectiveRequestsFollowKubernetes) {
  const Value spec = Yaml(R"(
containers:
- {resources: {requests: {cpu: 500m}, limits: {cpu: "2", example.com/gpu: "1"}}}
- {resources: {requests: {cpu: "1", memory: 1Gi}}}
initContainers:
- {restartPolicy: Always, resources: {requests: {cpu: 250m}}}
- {resources: {requests: {cpu: "3"}}}
overhead: {memory: 1Gi}
)");
  EXPECT_EQ(ToJson(EffectiveRequests(spec)),
            Yaml("{cpu: 3250m, memory: 2Gi, example.com/gpu: '1'}"));
}

TEST(Requests, GangMinimumIsTheSumOfItsRoles) {
  PodGangInfo gang = GangFromObject(ExampleGang("x"));
  EXPECT_FALSE(MinResources(gang));
  AddTemplates(ExampleSet("x"), gang);
  EXPECT_EQ(ToJson(*MinResources(gang)), Yaml("{cpu: '36', memory: 264Gi, nvidia.com/gpu: '32'}"));
}

}  // namespace
}  // namespace coppice::backends
