#include "backends/kai/kai.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/gangs/translate.h"
#include "backends/model/labels.h"
#include "backends/tests/world_testing.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::backends::kai {
namespace {

using json::Value;

Capabilities Kai017() {
  Capabilities capabilities;
  capabilities.Serve(api::kPodGroups).Serve(api::kTopologies).Serve(api::kQueues);
  for (const std::string_view field : {"spec.minSubGroup", "spec.preemptibility",
                                       "spec.preemptionDelay", "spec.stalenessGracePeriod"}) {
    capabilities.AddField(api::kPodGroups, field);
  }
  return capabilities;
}

TEST(KaiTranslation, WorkedExampleOfTheBaseGang) {
  const Translation translation = TranslateGang(
      KaiBackend(), ExampleInput(ExampleGang("kai-scheduler"), "kai-scheduler", Kai017()));
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  EXPECT_THAT(WithoutTracking(translation), testing::ElementsAre(Yaml(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: pg-llm-0-11111111-1111-4111-8111-111111111111, namespace: ai}
spec:
  minMember: 6
  queue: team-a
  priorityClassName: gang-high
  topologyConstraint: {topology: dc1, requiredTopologyLevel: topology.kubernetes.io/rack}
  subGroups:
  - {name: llm-0-fe, minMember: 2}
  - {name: llm-0-pf-0-wk, minMember: 4, topologyConstraint: {topology: dc1, preferredTopologyLevel: kubernetes.io/hostname}}
)")));
  EXPECT_TRUE(translation.outcomes.empty());
}

TEST(KaiTranslation, WorkedExampleOfTheScaledGang) {
  const Translation translation = TranslateGang(
      KaiBackend(), ExampleInput(ExampleScaledGang("kai-scheduler"), "kai-scheduler", Kai017()));
  EXPECT_THAT(WithoutTracking(translation), testing::ElementsAre(Yaml(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: pg-llm-0-pf-0-22222222-2222-4222-8222-222222222222, namespace: ai}
spec:
  minMember: 4
  queue: team-a
  priorityClassName: gang-high
  topologyConstraint: {topology: dc1, requiredTopologyLevel: topology.kubernetes.io/rack}
  subGroups: [{name: llm-0-pf-1-wk, minMember: 4, topologyConstraint: {topology: dc1, preferredTopologyLevel: kubernetes.io/hostname}}]
)")));
}

TEST(KaiTranslation, TopologyOfABinding) {
  const auto objects = KaiBackend().TranslateTopology({}, ExampleBinding());
  EXPECT_EQ(objects.at(0).object, Yaml(R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: dc1}
spec: {levels: [{nodeLabel: topology.kubernetes.io/zone}, {nodeLabel: topology.kubernetes.io/rack}, {nodeLabel: kubernetes.io/hostname}]}
)"));
}

GangInput Base(const Capabilities& capabilities = Kai017()) {
  return ExampleInput(ExampleGang("kai-scheduler"), "kai-scheduler", capabilities);
}

Value Spec(const GangInput& input) {
  const Translation translation = TranslateGang(KaiBackend(), input);
  EXPECT_FALSE(translation.refusal) << translation.refusal->message;
  return translation.refusal ? Value() : translation.objects.at(0).object["spec"];
}

TEST(KaiTranslation, ConfigsAreParents) {
  GangInput input = Base();
  input.gang.group_configs = {{"llm-0-pf-0", {"llm-0-pf-0-wk"}, {"kubernetes.io/hostname", ""}},
                              {"empty", {}, {}}};
  input.gang.pod_groups[1].topology = {};
  EXPECT_EQ(Spec(input)["subGroups"], Yaml(R"(
- {name: llm-0-pf-0, minSubGroup: 1, topologyConstraint: {topology: dc1, requiredTopologyLevel: kubernetes.io/hostname}}
- {name: llm-0-fe, minMember: 2}
- {name: llm-0-pf-0-wk, minMember: 4, parent: llm-0-pf-0}
)"));
}

TEST(KaiTranslation, ConstraintsNeedATopologyThatHasTheLevel) {
  GangInput input = Base();
  input.gang.topology_name.clear();
  EXPECT_EQ(TranslateGang(KaiBackend(), input).refusal.value().reason,
            reasons::kTopologyUnresolved);
  input = Base();
  input.gang.topology.required = "example.com/row";
  EXPECT_EQ(TranslateGang(KaiBackend(), input).refusal.value().reason,
            reasons::kTopologyUnresolved);
}

TEST(KaiPods, MarksOfTheWorkedExample) {
  Value pod = Yaml("{spec: {containers: [{name: main, image: w}]}}");
  ASSERT_TRUE(PrepareGangPod(KaiBackend(), Base(), {"llm-0-pf-0-wk", 0}, pod).ok());
  EXPECT_EQ(pod, Yaml(R"(
metadata:
  labels: {kai.scheduler/subgroup-name: llm-0-pf-0-wk}
  annotations: {pod-group-name: pg-llm-0-11111111-1111-4111-8111-111111111111, kai.scheduler/skip-podgrouper: "true"}
spec: {schedulerName: kai-scheduler, priorityClassName: gang-high, schedulingGates: [{name: grove.io/podgang}], containers: [{name: main, image: w}]}
)"));
  GangInput early = Base();
  early.gang.uid.clear();
  EXPECT_TRUE(
      PrepareGangPod(KaiBackend(), early, {"llm-0-fe", 0}, pod).Is(base::ErrorCode::kUnavailable));
}

TEST(KaiQueue, ResolvedDefaultedAndRefused) {
  GangInput input = Base();
  input.set.Mutable("metadata").Erase("labels");
  EXPECT_EQ(Spec(input)["queue"].AsString(), "default-queue");
  Value& cliques = input.set.Mutable("spec").Mutable("template").Mutable("cliques");
  cliques.MutableAt(0).Set("annotations", Yaml("{kai.scheduler/queue: queue-2}"));
  EXPECT_EQ(Spec(input)["queue"].AsString(), "queue-2");
  cliques.MutableAt(1).Set("labels", Yaml("{kai.scheduler/queue: queue-1}"));
  EXPECT_EQ(TranslateGang(KaiBackend(), input).refusal.value().reason, reasons::kQueueUnresolved);
  EXPECT_EQ(KaiBackend().ValidateSet(input).at(0).message,
            "conflicting KAI queues on PodCliqueSet ai/llm PodClique templates: [queue-1 queue-2]");
  input = Base();
  input.policy = &CompatibilityPolicy::Grove();
  input.set.Mutable("metadata").Erase("labels");
  EXPECT_EQ(KaiBackend().ValidateSet(input).at(0).message,
            "no KAI queue is configured on PodCliqueSet ai/llm or its PodClique templates");
}

TEST(KaiOptions, WrittenOnlyWhereProbed) {
  GangInput input = Base();
  input.gang.labels.Set(kPreemptibility, "preemptible");
  input.gang.annotations.Set(kPreemptionDelay, "1m").Set(kStalenessGrace, "5m");
  Value spec = Spec(input);
  EXPECT_EQ(spec["preemptibility"].AsString(), "preemptible");
  EXPECT_EQ(spec["preemptionDelay"].AsString(), "1m");
  EXPECT_EQ(spec["stalenessGracePeriod"].AsString(), "5m");
  Capabilities old;
  old.Serve(api::kPodGroups).AddField(api::kPodGroups, "spec.preemptibility");
  input.capabilities = std::make_shared<Capabilities>(old);
  spec = Spec(input);
  EXPECT_TRUE(spec.Has("preemptibility"));
  EXPECT_FALSE(spec.Has("preemptionDelay"));
  EXPECT_FALSE(spec.Has("stalenessGracePeriod"));
}

TEST(KaiRelease, MinimumStaysWhereStalenessCanBeTurnedOff) {
  GangInput input = Base();
  for (PodGroupInfo& group : input.gang.pod_groups) group.min_replicas = 0;
  EXPECT_EQ(Spec(input)["minMember"].AsInt(), 6);
  EXPECT_EQ(Spec(input)["stalenessGracePeriod"].AsString(), "-1s");
  Capabilities old;
  old.Serve(api::kPodGroups);
  input.capabilities = std::make_shared<Capabilities>(old);
  EXPECT_EQ(Spec(input)["minMember"].AsInt(), 0);
}

TEST(KaiSignals, EveryReasonAndStaleness) {
  const auto read = [](const std::string& group) {
    const std::vector<Value> objects = {Yaml(group)};
    return KaiBackend().ReadSignals(Base(), objects, {});
  };
  for (const std::string reason :
       {"NonPreemptibleOverQuota", "OverLimit", "PreemptionDelayNotElapsed", "QueueDoesNotExist"}) {
    const Signals signals = read(
        "{status: {schedulingConditions: [{type: UnschedulableOnNodePool, status: 'True', "
        "lastTransitionTime: '2026-01-01T00:00:00Z', reasons: [{reason: Old}]}, {type: "
        "UnschedulableOnNodePool, status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z', "
        "reasons: [{reason: " +
        reason + ", message: m}]}]}}");
    EXPECT_EQ(signals.unschedulable_reason, reason);
    EXPECT_EQ(signals.unschedulable_message, "m");
  }
  EXPECT_EQ(read("{status: {schedulingConditions: [{type: UnschedulableOnNodePool, status: "
                 "'True'}]}}")
                .unschedulable_reason,
            "Unschedulable");
  EXPECT_EQ(read("{metadata: {annotations: {kai.scheduler/stale-podgroup-timestamp: t}}}")
                .unhealthy_reason,
            "StaleGang");
}

TEST(KaiCompatibility, UpstreamsNames) {
  GangInput input = Base();
  input.policy = &CompatibilityPolicy::Grove();
  const Translation translation = TranslateGang(KaiBackend(), input);
  EXPECT_EQ(kube::Name(translation.objects.at(0).object), "llm-0");
  Value pod = Yaml("{spec: {}}");
  input.gang.uid.clear();
  ASSERT_TRUE(PrepareGangPod(KaiBackend(), input, {"llm-0-fe", 0}, pod).ok());
  EXPECT_EQ(kube::Annotation(pod, kPodGroupName), "llm-0");
  EXPECT_EQ(pod["spec"]["schedulingGates"], Yaml("[{name: grove.io/podgang-pending-creation}]"));
  EXPECT_FALSE(pod["spec"].Has("priorityClassName"));
}

TEST(KaiEndToEnd, GangBecomesPodGroupAndStatusComesBack) {
  World world(
      {.projects = {"grove", "kai"}, .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.Create(ExampleBinding());
  const Value gang = world.CreateGang(ExampleGang("kai-scheduler"));
  world.Settle();
  const std::string name = "pg-llm-0-" + std::string(kube::Uid(gang));
  const Value group = world.Get(api::kPodGroups, "ai", name);
  EXPECT_EQ(group["spec"]["minMember"].AsInt(), 6);
  EXPECT_EQ(group["spec"]["queue"].AsString(), "default-queue");
  EXPECT_TRUE(kube::IsOwnedBy(group, kube::Uid(gang)));
  EXPECT_EQ(kube::Label(group, labels::kPodGang), "llm-0");
}

}  // namespace
}  // namespace coppice::backends::kai
