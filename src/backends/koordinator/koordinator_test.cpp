#include "backends/koordinator/koordinator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/gangs/translate.h"
#include "backends/koordinator/gang_group.h"
#include "backends/model/labels.h"
#include "backends/tests/world_testing.h"
#include "json/parse.h"
#include "kube/object.h"

namespace coppice::backends::koordinator {
namespace {

using json::Value;

const std::string kScheduler(kSchedulerName);
const std::string kPrefix = "gang.scheduling.koordinator.sh/";

Capabilities Koord18() {
  Capabilities capabilities;
  capabilities.Serve(kPodGroups).Serve(kNetworkTopologies).Serve(kReservations);
  return capabilities;
}

GangInput Base(const Capabilities& capabilities = Koord18(), const Value& options = {}) {
  return ExampleInput(ExampleGang(kScheduler), kScheduler, capabilities, options);
}

Value Pod(const GangInput& input, const std::string& group, int64_t index) {
  Value pod = Yaml("{apiVersion: v1, kind: Pod, spec: {containers: [{name: main, image: w}]}}");
  EXPECT_TRUE(PrepareGangPod(KoordinatorBackend(), input, {group, index}, pod).ok());
  return pod;
}

std::vector<Value> Specs(const Translation& translation) {
  std::vector<Value> objects;
  for (const DesiredObject& desired : translation.objects) objects.push_back(desired.object);
  return objects;
}

TEST(KoordinatorTranslation, WorkedExampleOfTheBaseGang) {
  const Translation translation = TranslateGang(KoordinatorBackend(), Base());
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  EXPECT_THAT(Specs(translation), testing::ElementsAreArray(YamlDocuments(R"(
apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: PodGroup
metadata:
  name: llm-0-fe
  namespace: ai
  annotations:
    gang.scheduling.koordinator.sh/groups: '["ai/llm-0-fe","ai/llm-0-pf-0-wk"]'
    gang.scheduling.koordinator.sh/mode: Strict
    gang.scheduling.koordinator.sh/match-policy: waiting-and-running
    gang.scheduling.koordinator.sh/network-topology-spec: '{"gatherStrategy":[{"layer":"rack","strategy":"MustGather"}]}'
spec: {minMember: 2, scheduleTimeoutSeconds: 600}
---
apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: PodGroup
metadata:
  name: llm-0-pf-0-wk
  namespace: ai
  annotations:
    gang.scheduling.koordinator.sh/groups: '["ai/llm-0-fe","ai/llm-0-pf-0-wk"]'
    gang.scheduling.koordinator.sh/mode: Strict
    gang.scheduling.koordinator.sh/match-policy: waiting-and-running
    gang.scheduling.koordinator.sh/network-topology-spec: '{"gatherStrategy":[{"layer":"rack","strategy":"MustGather"}]}'
spec: {minMember: 4, scheduleTimeoutSeconds: 600}
)")));
  EXPECT_EQ(Describe(translation.outcomes),
            "spec.podgroups[1].topologyConstraint.packConstraint.preferred=kubernetes.io/hostname: "
            "not expressible");
}

TEST(KoordinatorTranslation, WorkedExampleOfTheScaledGang) {
  const Translation translation = TranslateGang(
      KoordinatorBackend(), ExampleInput(ExampleScaledGang(kScheduler), kScheduler, Koord18()));
  EXPECT_THAT(Specs(translation), testing::ElementsAre(Yaml(R"(
apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: PodGroup
metadata:
  name: llm-0-pf-1-wk
  namespace: ai
  annotations:
    gang.scheduling.koordinator.sh/mode: Strict
    gang.scheduling.koordinator.sh/match-policy: waiting-and-running
    gang.scheduling.koordinator.sh/network-topology-spec: '{"gatherStrategy":[{"layer":"rack","strategy":"MustGather"},{"layer":"NodeTopologyLayer","strategy":"PreferGather"}]}'
spec: {minMember: 4, scheduleTimeoutSeconds: 600}
)")));
}

TEST(KoordinatorTranslation, WorkedExampleOfThePod) {
  const GangInput input = Base();
  const Value pod = Pod(input, "llm-0-pf-0-wk", 0);
  EXPECT_EQ(pod["metadata"]["labels"], Yaml("{pod-group.scheduling.sigs.k8s.io: llm-0-pf-0-wk, "
                                            "quota.scheduling.koordinator.sh/name: team-a}"));
  EXPECT_EQ(pod["spec"], Yaml("{schedulerName: koord-scheduler, priorityClassName: gang-high, "
                              "schedulingGates: [{name: scheduling.koordinator.sh/gang}], "
                              "containers: [{name: main, image: w}]}"));
  EXPECT_FALSE(Pod(input, "llm-0-fe", 2)["metadata"]["labels"].Has(kPodGroupLabel));
  EXPECT_TRUE(KoordinatorBackend().Release(input).hold_surplus);
  EXPECT_TRUE(KoordinatorBackend().Release(input).pin_replacements);
}

TEST(KoordinatorTranslation, TopologyOfABinding) {
  const auto objects = KoordinatorBackend().TranslateTopology(Base(), ExampleBinding());
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0].object["spec"], Yaml(R"(
networkTopologySpec:
- {topologyLayer: zone, labelKey: [topology.kubernetes.io/zone]}
- {topologyLayer: rack, parentTopologyLayer: zone, labelKey: [topology.kubernetes.io/rack]}
- {topologyLayer: NodeTopologyLayer, parentTopologyLayer: rack}
)"));
}

TEST(KoordinatorTopology, LayersAreLookedUpByLabel) {
  GangInput input = Base();
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{Yaml(R"(
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: ClusterNetworkTopology
metadata: {name: default}
spec:
  networkTopologySpec:
  - {topologyLayer: SpineLayer, labelKey: [topology.kubernetes.io/zone, topology.kubernetes.io/rack]}
)")});
  const Translation found = TranslateGang(KoordinatorBackend(), input);
  EXPECT_THAT(kube::Annotation(found.objects.at(0).object, kPrefix + "network-topology-spec"),
              testing::HasSubstr("SpineLayer"));
  input.gang.topology.required = "example.com/row";
  const Translation missing = TranslateGang(KoordinatorBackend(), input);
  ASSERT_TRUE(missing.refusal);
  EXPECT_EQ(missing.refusal->reason, reasons::kTopologyUnresolved);
}

TEST(KoordinatorTopology, GroupLevelsAreRefusedBesideAGangLevel) {
  GangInput input = Base(Koord18(), Yaml("{topology: {requiredGroup: PodAffinity}}"));
  input.gang.pod_groups[1].topology = {"kubernetes.io/hostname", ""};
  EXPECT_EQ(TranslateGang(KoordinatorBackend(), input).refusal.value().reason,
            reasons::kCapabilityMissing);
  input.gang.topology = {};
  const Translation alone = TranslateGang(KoordinatorBackend(), input);
  EXPECT_FALSE(alone.refusal);
  EXPECT_EQ(alone.outcomes.at(0).outcome, "PodAffinity, GreedyTopology");
}

TEST(KoordinatorAlias, RealAliasBothNone) {
  const auto plurals = [](const Capabilities& capabilities) {
    std::vector<std::string> groups;
    for (const DesiredObject& object :
         TranslateGang(KoordinatorBackend(), Base(capabilities)).objects) {
      groups.push_back(object.resource.group + (object.mirror ? " mirror" : ""));
    }
    return groups;
  };
  Capabilities real, alias, both, none;
  for (Capabilities* each : {&real, &alias, &both, &none}) each->Serve(kNetworkTopologies);
  real.Serve(kPodGroups);
  alias.Serve(kAliasPodGroups);
  both.Serve(kPodGroups).Serve(kAliasPodGroups);
  const std::string r = kPodGroups.group, a = kAliasPodGroups.group;
  EXPECT_THAT(plurals(real), testing::ElementsAre(r, r));
  EXPECT_THAT(plurals(alias), testing::ElementsAre(a, a));
  EXPECT_THAT(plurals(both), testing::ElementsAre(r, a + " mirror", r, a + " mirror"));
  EXPECT_TRUE(plurals(none).empty());
  EXPECT_THAT(Describe(TranslateGang(KoordinatorBackend(), Base(alias)).outcomes),
              testing::HasSubstr("AliasOnly"));
  const Translation alone =
      TranslateGang(KoordinatorBackend(), Base(both, Yaml("{mirrorAlias: false}")));
  ASSERT_EQ(alone.objects.size(), 2u);
  for (const DesiredObject& object : alone.objects) EXPECT_EQ(object.resource.group, r);
  const auto mirrored = TranslateGang(KoordinatorBackend(), Base(both)).objects.at(1).object;
  EXPECT_EQ(kube::Label(mirrored, labels::kMirrorOf), "scheduling.sigs.k8s.io.podgroups");
}

TEST(KoordinatorWithoutCrd, PodsCarryTheGang) {
  Capabilities none;
  none.Serve(kNetworkTopologies);
  const Value pod = Pod(Base(none), "llm-0-fe", 0);
  const Value& annotations = pod["metadata"]["annotations"];
  EXPECT_EQ(annotations[kPrefix + "name"].AsString(), "llm-0-fe");
  EXPECT_EQ(annotations[kPrefix + "min-available"].AsString(), "2");
  EXPECT_EQ(annotations[kPrefix + "waiting-time"].AsString(), "600s");
  EXPECT_EQ(annotations[kPrefix + "match-policy"].AsString(), "waiting-and-running");
  EXPECT_EQ(annotations[kPrefix + "groups"].AsString(), R"(["ai/llm-0-fe","ai/llm-0-pf-0-wk"])");
}

// If surplus pods are members of the gang, Koordinator leaves them waiting forever.
TEST(KoordinatorTranslation, SurplusPodsAreNoMembersAndWaitForTheGang) {
  GangInput input = Base();
  input.gang.topology = {};
  for (PodGroupInfo& group : input.gang.pod_groups) group.topology = {};
  const Translation translation = TranslateGang(KoordinatorBackend(), input);
  EXPECT_EQ(kube::Annotation(translation.objects.at(0).object, kPrefix + "total-number"), "");
  EXPECT_EQ(kube::Label(Pod(input, "llm-0-fe", 1), kPodGroupLabel), "llm-0-fe");
  EXPECT_EQ(kube::Label(Pod(input, "llm-0-fe", 2), kPodGroupLabel), "");
  EXPECT_TRUE(KoordinatorBackend().Release(input).hold_surplus);
  EXPECT_FALSE(KoordinatorBackend().Release(input).pin_replacements);
}

TEST(KoordinatorTranslation, WhereSurplusIsNotHeldItBelongsToTheGang) {
  GangInput input = Base();
  input.policy = &CompatibilityPolicy::Grove();
  input.gang.topology = {};
  for (PodGroupInfo& group : input.gang.pod_groups) group.topology = {};
  const Translation translation = TranslateGang(KoordinatorBackend(), input);
  EXPECT_EQ(kube::Annotation(translation.objects.at(0).object, kPrefix + "total-number"), "3");
  EXPECT_EQ(kube::Label(Pod(input, "llm-0-fe", 2), kPodGroupLabel), "llm-0-fe");
}

TEST(KoordinatorReservation, FormerPlacesAreHeldWhenAskedFor) {
  GangInput input = Base(Koord18(), Yaml("{reservations: true}"));
  input.gang.reuse_reservation = NamespacedName{"ai", "old-0"};
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{Yaml(R"(
apiVersion: v1
kind: Pod
metadata: {name: old-fe, namespace: ai, labels: {grove.io/podgang: old-0, grove.io/podclique: old-0-fe}}
spec: {nodeName: n7}
)")});
  const Translation translation = TranslateGang(KoordinatorBackend(), input);
  ASSERT_EQ(translation.objects.size(), 3u);
  const Value& reservation = translation.objects[2].object;
  EXPECT_EQ(reservation["spec"]["template"]["spec"]["nodeName"].AsString(), "n7");
  EXPECT_EQ(reservation["spec"]["owners"].At(0)["labelSelector"]["matchLabels"],
            Yaml("{grove.io/podgang: llm-0, grove.io/podclique: llm-0-fe}"));
  EXPECT_TRUE(reservation["spec"]["allocateOnce"].AsBool());
  EXPECT_FALSE(reservation["spec"]["ttl"].AsString().empty());
  input.profile.options = Value::Object();
  EXPECT_EQ(TranslateGang(KoordinatorBackend(), input).objects.size(), 2u);
}

TEST(KoordinatorSignals, PhasesGiveTheReason) {
  const auto read = [](const std::string& phase) {
    const std::vector<Value> objects = {
        Yaml("{kind: PodGroup, metadata: {name: g}, spec: {minMember: 4}, status: {scheduled: 1, "
             "phase: " +
             phase + "}}")};
    return KoordinatorBackend().ReadSignals(Base(), objects, {});
  };
  EXPECT_EQ(read("Scheduling").unschedulable_reason, "Unschedulable");
  EXPECT_EQ(read("Scheduling").unschedulable_message, "g: 1 scheduled, 0 running of 4");
  EXPECT_EQ(read("Running").unschedulable_reason, "");
  EXPECT_EQ(read("Failed").unhealthy_reason, "PodGroupFailed");
}

TEST(KoordinatorSignals, AnExplanationSaysMore) {
  GangInput input = Base();
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{
      Yaml("{apiVersion: scheduling.koordinator.sh/v1alpha1, kind: ScheduleExplanation, metadata: "
           "{name: e, namespace: ai}, spec: {questionObjectKey: 'ai/llm-0-fe,ai/llm-0-pf-0-wk'}, "
           "status: {schedulable: false, failedMessage: no rack has 32 GPUs}}")});
  const std::vector<Value> objects = {Yaml(
      "{kind: PodGroup, metadata: {name: g}, spec: {minMember: 4}, status: {phase: Pending}}")};
  EXPECT_EQ(KoordinatorBackend().ReadSignals(input, objects, {}).unschedulable_message,
            "no rack has 32 GPUs");
}

TEST(KoordinatorQuota, ConflictIsRefused) {
  GangInput input = Base();
  input.set.Mutable("spec")
      .Mutable("template")
      .Mutable("cliques")
      .MutableAt(0)
      .Set("labels", Yaml("{quota.scheduling.koordinator.sh/name: other}"));
  EXPECT_EQ(TranslateGang(KoordinatorBackend(), input).refusal.value().reason,
            reasons::kQueueUnresolved);
  EXPECT_EQ(KoordinatorBackend().ValidateSet(input).size(), 1u);
}

}  // namespace
}  // namespace coppice::backends::koordinator
