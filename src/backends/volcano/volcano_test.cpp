#include "backends/volcano/volcano.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/gangs/translate.h"
#include "backends/tests/world_testing.h"
#include "backends/volcano/tiers.h"
#include "kube/object.h"

namespace coppice::backends::volcano {
namespace {

using json::Value;

const std::string kScheduler(kSchedulerName);

Capabilities Volcano(int minor) {
  Capabilities capabilities;
  capabilities.Serve(kPodGroups).Serve(kHyperNodes);
  capabilities.AddField(kPodGroups, "spec.networkTopology");
  if (minor < 14) return capabilities;
  capabilities.AddField(kPodGroups, "spec.subGroupPolicy");
  capabilities.AddField(kPodGroups, "spec.networkTopology.highestTierName");
  return capabilities;
}

GangInput Base(int minor = 14, const Value& options = {}) {
  return ExampleInput(ExampleGang(kScheduler), kScheduler, Volcano(minor), options);
}

Value Spec(const GangInput& input) {
  const Translation translation = TranslateGang(VolcanoBackend(), input);
  EXPECT_FALSE(translation.refusal) << translation.refusal->message;
  return translation.refusal ? Value() : translation.objects.at(0).object["spec"];
}

Value Pod(const GangInput& input, const std::string& group, int64_t index) {
  Value pod = Yaml("{apiVersion: v1, kind: Pod, spec: {containers: [{name: main, image: w}]}}");
  EXPECT_TRUE(PrepareGangPod(VolcanoBackend(), input, {group, index}, pod).ok());
  return pod;
}

TEST(VolcanoTranslation, WorkedExampleOfTheBaseGang) {
  const Translation translation = TranslateGang(VolcanoBackend(), Base());
  EXPECT_THAT(WithoutTracking(translation), testing::ElementsAre(Yaml(R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: llm-0, namespace: ai}
spec:
  minMember: 6
  queue: team-a
  priorityClassName: gang-high
  minResources: {cpu: "36", memory: 264Gi, nvidia.com/gpu: "32"}
  networkTopology: {mode: hard, highestTierName: topology.kubernetes.io/rack}
  subGroupPolicy:
  - {name: llm-0-fe, labelSelector: {matchLabels: {grove.io/podclique: llm-0-fe}}, matchLabelKeys: [grove.io/podclique], subGroupSize: 2, minSubGroups: 1}
  - {name: llm-0-pf-0-wk, labelSelector: {matchLabels: {grove.io/podclique: llm-0-pf-0-wk}}, matchLabelKeys: [grove.io/podclique], subGroupSize: 4, minSubGroups: 1, networkTopology: {mode: soft}}
)")));
  EXPECT_EQ(Describe(translation.outcomes),
            "spec.podgroups[1].topologyConstraint.packConstraint.preferred=kubernetes.io/hostname: "
            "as low as possible");
  EXPECT_EQ(translation.outcomes.at(0).kind, Outcome::Kind::kApproximated);
}

TEST(VolcanoTranslation, WorkedExampleOfTheScaledGang) {
  EXPECT_EQ(Spec(ExampleInput(ExampleScaledGang(kScheduler), kScheduler, Volcano(14))), Yaml(R"(
minMember: 4
queue: team-a
priorityClassName: gang-high
minResources: {cpu: "32", memory: 256Gi, nvidia.com/gpu: "32"}
networkTopology: {mode: hard, highestTierName: topology.kubernetes.io/rack}
subGroupPolicy:
- {name: llm-0-pf-1-wk, labelSelector: {matchLabels: {grove.io/podclique: llm-0-pf-1-wk}}, matchLabelKeys: [grove.io/podclique], subGroupSize: 4, minSubGroups: 1, networkTopology: {mode: soft}}
)"));
}

TEST(VolcanoTranslation, WorkedExampleOfThePod) {
  const Value pod = Pod(Base(), "llm-0-pf-0-wk", 0);
  EXPECT_EQ(pod["metadata"]["annotations"],
            Yaml("{scheduling.k8s.io/group-name: llm-0, scheduling.volcano.sh/group-name: llm-0, "
                 "volcano.sh/task-spec: llm-0-pf-0-wk}"));
  EXPECT_EQ(pod["spec"], Yaml("{schedulerName: volcano, priorityClassName: gang-high, "
                              "schedulingGates: [{name: grove.io/podgang}], containers: [{name: "
                              "main, image: w}]}"));
}

TEST(VolcanoTranslation, Before114TaskMinimaAndTierNumbers) {
  GangInput input = Base(13);
  input.gang.pod_groups[1].topology = {};
  const Value spec = Spec(input);
  EXPECT_EQ(spec["minTaskMember"], Yaml("{llm-0-fe: 2, llm-0-pf-0-wk: 4}"));
  EXPECT_EQ(spec["networkTopology"], Yaml("{mode: hard, highestTierAllowed: 1}"));
  EXPECT_FALSE(spec.Has("subGroupPolicy"));
}

TEST(VolcanoTranslation, ConfigsOfOneScalingGroupShareAPolicy) {
  Value gang = ExampleGang(kScheduler);
  gang.Mutable("spec").Set("podgroups", Yaml(R"(
- {name: llm-0-pf-0-wk, minReplicas: 4, podReferences: []}
- {name: llm-0-pf-0-ld, minReplicas: 1, podReferences: []}
- {name: llm-0-pf-1-wk, minReplicas: 4, podReferences: []}
- {name: llm-0-pf-1-ld, minReplicas: 1, podReferences: []}
)"));
  gang.Mutable("spec").Set("topologyConstraintGroupConfigs", Yaml(R"(
- {name: llm-0-pf-0, podGroupNames: [llm-0-pf-0-wk, llm-0-pf-0-ld], topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}}
- {name: llm-0-pf-1, podGroupNames: [llm-0-pf-1-wk, llm-0-pf-1-ld], topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}}
)"));
  gang.Mutable("spec").Erase("topologyConstraint");
  GangInput input = ExampleInput(gang, kScheduler, Volcano(14));
  for (PodGroupInfo& group : input.gang.pod_groups) group.scaling_group = "llm-0-pf";
  const Value spec = Spec(input);
  EXPECT_EQ(spec["subGroupPolicy"], Yaml(R"(
- name: llm-0-pf
  labelSelector: {matchLabels: {grove.io/podcliquescalinggroup: llm-0-pf}}
  matchLabelKeys: [grove.io/podcliquescalinggroup-replica-index]
  subGroupSize: 5
  minSubGroups: 2
  networkTopology: {mode: hard, highestTierName: topology.kubernetes.io/rack}
)"));
  EXPECT_EQ(spec["minTaskMember"], Yaml("{llm-0-pf-0-wk: 4, llm-0-pf-0-ld: 1, llm-0-pf-1-wk: 4, "
                                        "llm-0-pf-1-ld: 1}"));
}

TEST(VolcanoTopology, HostnameIsNoTier) {
  GangInput input = Base();
  input.gang.topology = {"kubernetes.io/hostname", ""};
  EXPECT_EQ(TranslateGang(VolcanoBackend(), input).refusal.value().reason,
            reasons::kCapabilityMissing);
}

TEST(VolcanoTopology, TierMustExist) {
  GangInput input = Base();
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{
      Yaml("{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: z}, spec: "
           "{tier: 3, tierName: topology.kubernetes.io/zone}}")});
  EXPECT_EQ(TranslateGang(VolcanoBackend(), input).refusal.value().reason,
            reasons::kTopologyUnresolved);
  input.gang.topology.required = "topology.kubernetes.io/zone";
  EXPECT_EQ(Spec(input)["networkTopology"]["highestTierName"].AsString(),
            "topology.kubernetes.io/zone");
}

// Volcano silently skips a tier without HyperNodes, and places pods anywhere.
TEST(VolcanoTopology, ALevelWithoutHyperNodesWaitsForThem) {
  for (const int minor : {13, 14}) {
    GangInput input = Base(minor);
    input.gang.pod_groups[1].topology = {};
    const Value node = Yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {topology.kubernetes.io/rack: "
        "r1}}}");
    input.cluster = std::make_shared<FixedView>(std::vector<Value>{node});
    const auto refusal = TranslateGang(VolcanoBackend(), input).refusal;
    EXPECT_EQ(refusal.value_or(Refusal{}).reason, reasons::kTopologyUnresolved) << minor;
    input.cluster = std::make_shared<FixedView>(std::vector<Value>{
        node, Yaml("{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: "
                   "r1}, spec: {tier: 1, tierName: topology.kubernetes.io/rack}}")});
    EXPECT_EQ(Spec(input)["networkTopology"]["mode"].AsString(), "hard") << minor;
  }
}

TEST(VolcanoTopology, PluginMissingInTheSchedulersConfiguration) {
  GangInput input = Base();
  Capabilities capabilities = Volcano(14);
  capabilities.AddDocument(
      api::kConfigMaps, {"volcano-system", "volcano-scheduler-configmap"},
      Yaml("{data: {volcano-scheduler.conf: 'tiers: [{plugins: [{name: gang}]}]'}}"));
  input.capabilities = std::make_shared<Capabilities>(capabilities);
  const Translation translation = TranslateGang(VolcanoBackend(), input);
  EXPECT_EQ(translation.refusal.value().reason, reasons::kCapabilityMissing);
  EXPECT_THAT(translation.refusal->message, testing::HasSubstr("network-topology-aware"));
}

TEST(VolcanoTopology, HyperNodesOfEveryDomain) {
  GangInput input = Base();
  std::vector<Value> nodes;
  for (const std::string rack : {"r1", "r2"}) {
    nodes.push_back(Yaml("{apiVersion: v1, kind: Node, metadata: {name: n-" + rack +
                         ", labels: {topology.kubernetes.io/zone: z1, "
                         "topology.kubernetes.io/rack: " +
                         rack + "}}}"));
  }
  input.cluster = std::make_shared<FixedView>(nodes);
  const auto objects = VolcanoBackend().TranslateTopology(input, ExampleBinding());
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0].object, Yaml(R"(
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: dc1-rack-r1}
spec:
  tier: 1
  tierName: topology.kubernetes.io/rack
  members: [{type: Node, selector: {labelMatch: {matchLabels: {topology.kubernetes.io/rack: r1}}}}]
)"));
  EXPECT_EQ(objects[2].object["spec"], Yaml(R"(
tier: 2
tierName: topology.kubernetes.io/zone
members: [{type: HyperNode, selector: {exactMatch: {name: dc1-rack-r1}}}, {type: HyperNode, selector: {exactMatch: {name: dc1-rack-r2}}}]
)"));
}

TEST(VolcanoTranslation, PodsWithoutRequestsAreReported) {
  GangInput input = Base();
  input.gang.pod_groups[0].pod_spec = Yaml("{containers: [{name: main, image: f}]}");
  const Translation translation = TranslateGang(VolcanoBackend(), input);
  EXPECT_THAT(Describe(translation.outcomes),
              testing::HasSubstr("spec.podgroups[0]=llm-0-fe: pods without requests"));
}

TEST(VolcanoTranslation, ReleasedMinimaStay) {
  GangInput input = Base();
  for (PodGroupInfo& group : input.gang.pod_groups) group.min_replicas = 0;
  EXPECT_EQ(Spec(input)["minMember"].AsInt(), 6);
}

TEST(VolcanoQueue, ResolvedCheckedAndDefaulted) {
  GangInput input = Base();
  Capabilities capabilities = Volcano(14);
  capabilities.Serve(kQueues);
  input.capabilities = std::make_shared<Capabilities>(capabilities);
  EXPECT_EQ(TranslateGang(VolcanoBackend(), input).refusal.value().reason,
            reasons::kQueueUnresolved);
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{
      Yaml("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: team-a}, "
           "status: {state: Closed}}")});
  EXPECT_EQ(VolcanoBackend().ValidateSet(input).at(0).message,
            "volcano queue \"team-a\" is not Open; mend that, or name another in annotation "
            "scheduling.grove.io/volcano-queue of the set");
  GangInput plain = Base();
  plain.set.Mutable("metadata").Erase("annotations");
  EXPECT_EQ(Spec(plain)["queue"].AsString(), "default");
}

TEST(VolcanoOptions, OnlyItsOwnKeysPass) {
  GangInput input = Base();
  input.gang.annotations.Set(kPreemptable, "true").Set("volcano.sh/sla-waiting-time", "1h");
  input.gang.annotations.Set("kai.scheduler/preemption-delay", "1m");
  const Value object = TranslateGang(VolcanoBackend(), input).objects.at(0).object;
  EXPECT_EQ(object["metadata"]["annotations"],
            Yaml("{volcano.sh/preemptable: 'true', volcano.sh/sla-waiting-time: 1h}"));
  EXPECT_FALSE(object["metadata"].Has("labels"));
  EXPECT_EQ(kube::Annotation(Pod(input, "llm-0-fe", 0), kPreemptable), "true");
}

TEST(VolcanoSignals, NewestConditionWins) {
  const auto read = [](const std::string& status) {
    const std::vector<Value> objects = {Yaml("{status: " + status + "}")};
    return VolcanoBackend().ReadSignals(Base(), objects, {});
  };
  EXPECT_EQ(read("{conditions: [{type: Unschedulable, status: 'True', reason: NotEnoughResources, "
                 "lastTransitionTime: '2026-01-02T00:00:00Z'}, {type: Scheduled, status: 'True', "
                 "lastTransitionTime: '2026-01-01T00:00:00Z'}]}")
                .unschedulable_reason,
            "NotEnoughResources");
  EXPECT_EQ(read("{conditions: [{type: Unschedulable, status: 'True', reason: NotEnoughPodsOfTask, "
                 "lastTransitionTime: '2026-01-01T00:00:00Z'}, {type: Scheduled, status: 'True', "
                 "lastTransitionTime: '2026-01-02T00:00:00Z'}]}")
                .unschedulable_reason,
            "");
  EXPECT_EQ(read("{phase: Unknown}").unhealthy_reason, "PartiallyScheduled");
  EXPECT_FALSE(read("{phase: Inqueue}").message.empty());
}

TEST(VolcanoCompatibility, UpstreamsShapeAndRefusal) {
  GangInput input = Base();
  input.policy = &CompatibilityPolicy::Grove();
  EXPECT_EQ(VolcanoBackend().ValidateSet(input).at(0).message,
            "volcano scheduler backend does not support topologyConstraint on PodCliqueSet");
  input.gang.topology = {};
  input.gang.pod_groups[1].topology = {};
  const Value spec = Spec(input);
  EXPECT_FALSE(spec.Has("minResources"));
  EXPECT_EQ(spec["subGroupPolicy"].size(), 2u);
  EXPECT_FALSE(Pod(input, "llm-0-fe", 0)["metadata"]["annotations"].Has(kTaskSpec));
}

}  // namespace
}  // namespace coppice::backends::volcano
