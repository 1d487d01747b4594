#include "backends/yunikorn/yunikorn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/gangs/status.h"
#include "backends/gangs/translate.h"
#include "backends/tests/world_testing.h"
#include "backends/yunikorn/application.h"
#include "json/parse.h"
#include "kube/object.h"

namespace coppice::backends::yunikorn {
namespace {

using json::Value;

const std::string kScheduler(kSchedulerName);
const std::string kAffinity = "{topology: {requiredGang: PodAffinity}}";

GangInput Base(const std::string& options = kAffinity) {
  return ExampleInput(ExampleGang(kScheduler), kScheduler, Capabilities(), Yaml(options));
}

Value Pod(const GangInput& input, const std::string& group, int64_t index) {
  Value pod = Yaml(
      "{apiVersion: v1, kind: Pod, metadata: {namespace: ai}, spec: {containers: "
      "[{name: main, image: w}]}}");
  const base::Status status = PrepareGangPod(YuniKornBackend(), input, {group, index}, pod);
  EXPECT_TRUE(status.ok()) << status.error().ToString();
  return pod;
}

TEST(YuniKornPods, WorkedExample) {
  const Value pod = Pod(Base(), "llm-0-pf-0-wk", 0);
  EXPECT_EQ(pod["metadata"]["labels"], Yaml(R"(
gang.grove.io/affinity: llm-0
yunikorn.apache.org/app-id: ai-llm-0-11111111
yunikorn.apache.org/queue: root.team-a
)"));
  const Value& annotations = pod["metadata"]["annotations"];
  EXPECT_EQ(annotations[kTaskGroupName].AsString(), "llm-0-pf-0-wk");
  EXPECT_EQ(annotations[kPolicyParameters].AsString(),
            "placeholderTimeoutInSeconds=900 gangSchedulingStyle=Hard");
  EXPECT_EQ(*json::Parse(annotations[kTaskGroups].AsString()), Yaml(R"(
[{"name":"llm-0-fe","minMember":2,"minResource":{"cpu":"2","memory":"4Gi"},
  "labels":{"gang.grove.io/affinity":"llm-0"},
  "affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
    {"topologyKey":"topology.kubernetes.io/rack","labelSelector":{"matchLabels":{"gang.grove.io/affinity":"llm-0"}}}]}}},
 {"name":"llm-0-pf-0-wk","minMember":4,"minResource":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"8"},
  "labels":{"gang.grove.io/affinity":"llm-0"},
  "affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
    {"topologyKey":"topology.kubernetes.io/rack","labelSelector":{"matchLabels":{"gang.grove.io/affinity":"llm-0"}}}]}}}]
)"));
  EXPECT_EQ(pod["spec"], Yaml(R"(
schedulerName: yunikorn
priorityClassName: gang-high
schedulingGates: [{name: grove.io/podgang}]
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - {topologyKey: topology.kubernetes.io/rack, labelSelector: {matchLabels: {gang.grove.io/affinity: llm-0}}}
containers: [{name: main, image: w}]
)"));
}

TEST(YuniKornPods, EveryPodCarriesTheSameBytes) {
  const GangInput input = Base();
  const Value worker = Pod(input, "llm-0-pf-0-wk", 0);
  for (const auto& [group, index] : {std::pair("llm-0-fe", 0), {"llm-0-fe", 2}}) {
    const Value pod = Pod(input, group, index);
    EXPECT_EQ(kube::Annotation(pod, kTaskGroups), kube::Annotation(worker, kTaskGroups));
    EXPECT_EQ(kube::Label(pod, kAppId), kube::Label(worker, kAppId));
  }
  EXPECT_EQ(kube::Annotation(Pod(input, "llm-0-fe", 2), kTaskGroupName), "");
}

TEST(YuniKornPods, ScaledGangIsAnApplicationOfItsOwn) {
  const GangInput input =
      ExampleInput(ExampleScaledGang(kScheduler), kScheduler, Capabilities(), Yaml(kAffinity));
  const Value pod = Pod(input, "llm-0-pf-1-wk", 0);
  EXPECT_EQ(kube::Label(pod, kAppId), "ai-llm-0-pf-0-22222222");
  EXPECT_EQ(kube::Label(pod, "gang.grove.io/affinity"), "llm-0-pf-0");
  EXPECT_EQ(json::Parse(kube::Annotation(pod, kTaskGroups))->size(), 1u);
}

TEST(YuniKornTranslation, RackIsGreedyAndHostIsDropped) {
  const Translation translation = TranslateGang(YuniKornBackend(), Base());
  ASSERT_FALSE(translation.refusal);
  EXPECT_EQ(Describe(translation.outcomes),
            "spec.topologyConstraint.packConstraint.required=topology.kubernetes.io/rack: "
            "PodAffinity, GreedyTopology; "
            "spec.podgroups[1].topologyConstraint.packConstraint.preferred=kubernetes.io/hostname: "
            "not expressible");
  EXPECT_TRUE(TranslateGang(YuniKornBackend(), Base("{}")).refusal);
}

TEST(YuniKornPods, NeedTheGangsUid) {
  GangInput input = Base();
  input.gang.uid.clear();
  Value pod = Value::Object();
  EXPECT_TRUE(PrepareGangPod(YuniKornBackend(), input, {"llm-0-fe", 0}, pod)
                  .Is(base::ErrorCode::kUnavailable));
}

TEST(YuniKornUpdate, LiveApplicationKeepsItsDefinition) {
  GangInput input = Base();
  Value live = Pod(input, "llm-0-fe", 0);
  live.Mutable("metadata").Set("name", "fe-a");
  live.Mutable("metadata").Mutable("labels").Set("grove.io/podgang", "llm-0");
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{live});
  EXPECT_FALSE(TranslateGang(YuniKornBackend(), input).refusal);
  input.gang.pod_groups[0].min_replicas = 3;
  EXPECT_EQ(TranslateGang(YuniKornBackend(), input).refusal.value().reason,
            reasons::kUpdateBlocked);
  EXPECT_EQ(kube::Annotation(Pod(input, "llm-0-fe", 1), kTaskGroups),
            kube::Annotation(live, kTaskGroups));
}

TEST(YuniKornRepair, TimeoutStartsOverUnderANewApplication) {
  GangInput input = Base();
  Value failed = Pod(input, "llm-0-fe", 0);
  failed.Set("status", Yaml("{phase: Failed, reason: ResourceReservationTimeout}"));
  Value waiting = Pod(input, "llm-0-fe", 1);
  Repair repair = YuniKornBackend().MakeRepair(input, {}, std::vector<Value>{failed, waiting});
  EXPECT_EQ(repair.gang_annotations, Yaml("{grove.io/yunikorn-attempt: '1'}"));
  EXPECT_EQ(repair.delete_pods.size(), 2u);
  input.gang.annotations.Set(kAttempt, "1");
  EXPECT_EQ(AppId(input), "ai-llm-0-11111111-r1");
  // Leftovers of the old application are deleted even if the annotation is already set.
  repair = YuniKornBackend().MakeRepair(input, {}, std::vector<Value>{failed});
  EXPECT_TRUE(repair.gang_annotations.empty());
  EXPECT_EQ(repair.delete_pods.size(), 1u);
  const Value fresh = Pod(input, "llm-0-fe", 0);
  repair = YuniKornBackend().MakeRepair(input, {}, std::vector<Value>{fresh});
  EXPECT_TRUE(repair.delete_pods.empty());
}

// The input of the same gang after it was deleted and recreated, with these pods.
GangInput MadeAgain(GangInput input, std::vector<Value> pods) {
  for (Value& pod : pods) {
    pod.Mutable("metadata").Mutable("labels").Set("grove.io/podgang", input.gang.name);
  }
  input.gang.uid = "99999999-9999-4999-8999-999999999999";
  input.cluster = std::make_shared<FixedView>(std::move(pods));
  return input;
}

TEST(YuniKornAgain, NewPodsJoinTheApplicationThatPodsName) {
  const Value running = Pod(Base(), "llm-0-fe", 0);
  const GangInput input = MadeAgain(Base(), {running});
  EXPECT_EQ(kube::Label(Pod(input, "llm-0-fe", 1), kAppId), kube::Label(running, kAppId));
  EXPECT_FALSE(TranslateGang(YuniKornBackend(), input).refusal);
  EXPECT_TRUE(YuniKornBackend().MakeRepair(input, {}, {&running, 1}).delete_pods.empty());
}

TEST(YuniKornAgain, WithoutPodsItIsAnApplicationOfItsOwn) {
  Value failed = Pod(Base(), "llm-0-fe", 0);
  failed.Set("status", Yaml("{phase: Failed, reason: ResourceReservationTimeout}"));
  EXPECT_EQ(AppId(MadeAgain(Base(), {failed})), "ai-llm-0-99999999");
}

TEST(YuniKornAgain, ATimeoutStillStartsOver) {
  const Value waiting = Pod(Base(), "llm-0-fe", 1);
  Value failed = Pod(Base(), "llm-0-fe", 0);
  failed.Set("status", Yaml("{phase: Failed, reason: ResourceReservationTimeout}"));
  const std::vector<Value> pods = {failed, waiting};
  GangInput input = MadeAgain(Base(), pods);
  const Repair repair = YuniKornBackend().MakeRepair(input, {}, pods);
  EXPECT_EQ(repair.delete_pods.size(), 2u);
  input.gang.annotations.Set(kAttempt, repair.gang_annotations[kAttempt]);
  EXPECT_EQ(AppId(input), "ai-llm-0-99999999-r1");
}

TEST(YuniKornRepair, PodsOfAnotherSchedulerAreLeftAlone) {
  Value foreign = Yaml("{metadata: {name: fe-a}, spec: {schedulerName: volcano}}");
  EXPECT_TRUE(YuniKornBackend().MakeRepair(Base(), {}, {&foreign, 1}).delete_pods.empty());
}

TEST(YuniKornSignals, FailuresGiveTheReason) {
  for (const std::string reason : {"ResourceReservationTimeout", "ApplicationRejected"}) {
    const std::vector<Value> pods = {
        Yaml("{status: {phase: Failed, reason: " + reason + ", message: m}}")};
    EXPECT_EQ(YuniKornBackend().ReadSignals(Base(), {}, pods).unschedulable_reason, reason);
  }
}

TEST(YuniKornStatus, PlaceholdersDoNotCount) {
  EXPECT_FALSE(CountsForStatus(
      Yaml("{metadata: {annotations: {internal.yunikorn.apache.org/placeholder: 'true'}}}")));
  EXPECT_FALSE(CountsForStatus(
      Yaml("{metadata: {annotations: {yunikorn.apache.org/placeholder: 'true'}}}")));
  EXPECT_TRUE(CountsForStatus(Yaml("{metadata: {}}")));
}

TEST(YuniKornTranslation, GroupRequiredIsATermOfItsOwn) {
  GangInput input = Base("{topology: {requiredGang: PodAffinity, requiredGroup: PodAffinity}}");
  input.gang.pod_groups[1].topology = {"kubernetes.io/hostname", ""};
  const Value pod = Pod(input, "llm-0-pf-0-wk", 0);
  EXPECT_EQ(kube::Label(pod, "gang.grove.io/affinity-group"), "llm-0-pf-0-wk");
  EXPECT_EQ(pod["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
                .size(),
            2u);
  EXPECT_EQ(kube::Label(Pod(input, "llm-0-fe", 0), "gang.grove.io/affinity-group"), "");
}

TEST(YuniKornTranslation, WhatItCountsUnderAnotherNameIsRefused) {
  const auto problem = [](const std::string& requests) {
    GangInput input = Base();
    input.gang.pod_groups.front().pod_spec =
        Yaml("{containers: [{name: main, image: f, resources: {requests: {" + requests + "}}}]}");
    const Translation translation = TranslateGang(YuniKornBackend(), input);
    return translation.refusal ? translation.refusal->message : std::string();
  };
  EXPECT_THAT(problem("cpu: '1', vcore: '1'"), testing::HasSubstr("vcore"));
  EXPECT_THAT(problem("cpu: '1', pods: '1'"), testing::HasSubstr("pods"));
  EXPECT_EQ(problem("vcore: '1'"), "");
}

TEST(YuniKornPods, PlaceholdersSpreadAsPodsDo) {
  GangInput input = Base();
  const Value spread = Yaml(
      "[{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]");
  input.gang.pod_groups.front().pod_spec.Set("topologySpreadConstraints", spread);
  const Value pod = Pod(input, "llm-0-pf-0-wk", 0);
  const auto groups = json::Parse(kube::Annotation(pod, kTaskGroups));
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->At(0)["topologySpreadConstraints"], spread);
  EXPECT_FALSE(groups->At(1).Has("topologySpreadConstraints"));
}

TEST(YuniKornTranslation, FormerPlacesAreDropped) {
  GangInput input = Base();
  input.gang.reuse_reservation = NamespacedName{"ai", "llm-0"};
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{
      Yaml("{apiVersion: v1, kind: Pod, metadata: {name: old, namespace: ai, labels: "
           "{grove.io/podgang: llm-0, grove.io/podclique: llm-0-fe}}, spec: {nodeName: n1}}")});
  EXPECT_FALSE(Pod(input, "llm-0-fe", 0)["spec"]["affinity"].Has("nodeAffinity"));
  bool listed = false;
  for (const Outcome& outcome : TranslateGang(YuniKornBackend(), input).outcomes) {
    listed |= outcome.path == "spec.reuseReservationRef" && outcome.quiet;
  }
  EXPECT_TRUE(listed);
}

}  // namespace
}  // namespace coppice::backends::yunikorn
