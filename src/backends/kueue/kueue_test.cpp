#include "backends/kueue/kueue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/gangs/translate.h"
#include "backends/kueue/workload.h"
#include "backends/scheduler_plugins/scheduler_plugins.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;
using scheduler_plugins::SchedulerPluginsBackend;

const std::string kScheduler(scheduler_plugins::kSchedulerName);
const std::string kOptions = "admission: kueue, topology: {requiredGang: PodAffinity}";

const Value kPriorityClass = Yaml(
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: gang-high}, value: "
    "1000}");

GangInput Input(const Value& gang, const std::string& more = "",
                const std::string& version = "v1beta2") {
  Capabilities capabilities;
  capabilities.Serve(scheduler_plugins::kPodGroups).Serve(Workloads(version));
  GangInput input = ExampleInput(gang, kScheduler, capabilities, Yaml("{" + kOptions + more + "}"));
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{kPriorityClass});
  return input;
}

Value WorkloadOf(const GangInput& input) {
  const Translation translation = TranslateGang(SchedulerPluginsBackend(), input);
  EXPECT_FALSE(translation.refusal) << translation.refusal->message;
  return translation.objects.size() < 2 ? Value() : translation.objects[1].object;
}

TEST(KueueWorkload, WorkedExampleOfTheBaseGang) {
  const Value workload = WorkloadOf(Input(ExampleGang(kScheduler)));
  EXPECT_EQ(workload["metadata"],
            Yaml("{name: podgang-llm-0, namespace: ai, labels: {kueue.x-k8s.io/job-uid: "
                 "11111111-1111-4111-8111-111111111111}}"));
  const Value& spec = workload["spec"];
  EXPECT_EQ(spec["queueName"].AsString(), "team-a");
  EXPECT_EQ(spec["priority"].AsInt(), 1000);
  EXPECT_EQ(spec["priorityClassRef"],
            Yaml("{group: scheduling.k8s.io, kind: PriorityClass, name: gang-high}"));
  EXPECT_EQ(spec["podSets"].At(0), Yaml(R"(
name: llm-0-fe
count: 2
topologyRequest: {unconstrained: true}
template: {spec: {containers: [{name: main, image: f, resources: {requests: {cpu: "2", memory: 4Gi}}}]}}
)"));
  EXPECT_EQ(spec["podSets"].At(1)["count"].AsInt(), 4);
  EXPECT_EQ(spec["podSets"].At(1)["template"]["spec"]["containers"].At(0)["resources"]["requests"],
            Yaml("{cpu: '8', memory: 64Gi, nvidia.com/gpu: '8'}"));
}

TEST(KueueWorkload, WorkedExampleOfTheScaledGang) {
  const Value workload = WorkloadOf(Input(ExampleScaledGang(kScheduler)));
  EXPECT_EQ(workload["spec"]["podSets"].At(0)["topologyRequest"],
            Yaml("{required: topology.kubernetes.io/rack, podIndexLabel: "
                 "grove.io/podclique-pod-index}"));
}

TEST(KueueWorkload, OlderVersionNamesThePriorityClassDifferently) {
  const Value spec = WorkloadOf(Input(ExampleGang(kScheduler), "", "v1beta1"))["spec"];
  EXPECT_EQ(spec["priorityClassName"].AsString(), "gang-high");
  EXPECT_FALSE(spec.Has("priorityClassRef"));
}

TEST(KueueWorkload, RackAcrossPodSetsIsRejectedOnRequest) {
  const Translation translation = TranslateGang(
      SchedulerPluginsBackend(), Input(ExampleGang(kScheduler), ", kueueTopology: Reject"));
  EXPECT_EQ(translation.refusal.value().reason, reasons::kCapabilityMissing);
}

TEST(KueueWorkload, SurplusGetsAWorkloadOnceTheGangIsScheduled) {
  GangInput input = Input(ExampleGang(kScheduler));
  EXPECT_EQ(TranslateGang(SchedulerPluginsBackend(), input).objects.size(), 2u);
  input.status = Yaml("{conditions: [{type: Scheduled, status: 'True'}]}");
  const Translation translation = TranslateGang(SchedulerPluginsBackend(), input);
  ASSERT_EQ(translation.objects.size(), 3u);
  EXPECT_EQ(kube::Name(translation.objects[2].object), "podgang-llm-0-surplus");
  EXPECT_EQ(translation.objects[2].object["spec"]["podSets"].At(0)["count"].AsInt(), 1);
}

TEST(KueueWorkload, OnlyForGangsThatNameAQueue) {
  GangInput input = Input(ExampleGang(kScheduler));
  input.set.Mutable("metadata").Erase("labels");
  EXPECT_FALSE(Applies(input));
  EXPECT_EQ(TranslateGang(SchedulerPluginsBackend(), input).objects.size(), 1u);
}

TEST(KueuePods, TopologyAwareMarksAtCreation) {
  Value pod = Yaml("{spec: {}}");
  ASSERT_TRUE(PrepareGangPod(SchedulerPluginsBackend(), Input(ExampleScaledGang(kScheduler)),
                             {"llm-0-pf-1-wk", 0}, pod));
  EXPECT_EQ(kube::Label(pod, "kueue.x-k8s.io/podset"), "llm-0-pf-1-wk");
  EXPECT_EQ(kube::Annotation(pod, "kueue.x-k8s.io/workload"), "podgang-llm-0-pf-0");
  EXPECT_EQ(kube::Annotation(pod, "kueue.x-k8s.io/podset-required-topology"),
            "topology.kubernetes.io/rack");
  EXPECT_EQ(pod["spec"]["schedulingGates"],
            Yaml("[{name: grove.io/podgang}, {name: kueue.x-k8s.io/topology}]"));
}

TEST(KueueAdmission, FlavorsBecomeSelectorsAndTolerations) {
  GangInput input = Input(ExampleGang(kScheduler));
  EXPECT_FALSE(CheckAdmission(input, "llm-0-fe").admitted);
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{Yaml(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: podgang-llm-0, namespace: ai}
status:
  conditions: [{type: Admitted, status: "True"}]
  admission: {podSetAssignments: [{name: llm-0-fe, flavors: {cpu: spot}}]}
)"),
                                                                 Yaml(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec: {nodeLabels: {pool: spot}, tolerations: [{key: spot, operator: Exists}]}
)")});
  const Admission admission = CheckAdmission(input, "llm-0-fe");
  EXPECT_TRUE(admission.admitted);
  EXPECT_EQ(admission.node_selector, Yaml("{pool: spot}"));
  EXPECT_EQ(admission.tolerations, Yaml("[{key: spot, operator: Exists}]"));
}

TEST(KueueSignals, ReasonsAndEviction) {
  const GangInput input = Input(ExampleGang(kScheduler));
  const std::vector<Value> objects = {Yaml(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: podgang-llm-0, namespace: ai}
status:
  conditions:
  - {type: QuotaReserved, status: "False", reason: ExceedsMaxQuota, message: too much}
  - {type: Evicted, status: "True", reason: Preempted, message: make room}
)")};
  Signals signals;
  AddSignals(input, objects, signals);
  EXPECT_EQ(signals.unschedulable_reason, "ExceedsMaxQuota");
  EXPECT_EQ(signals.disruption_reason, "Preempted");
  EXPECT_EQ(signals.message, "make room");
  Repair repair;
  const std::vector<Value> pods = {
      Yaml("{metadata: {name: running}, spec: {nodeName: n}}"),
      Yaml("{metadata: {name: gated}, spec: {schedulingGates: [{name: grove.io/podgang}]}}")};
  AddRepair(input, objects, pods, "2026-01-01T00:00:00Z", repair);
  ASSERT_EQ(repair.delete_pods.size(), 1u);
  EXPECT_EQ(kube::Name(repair.delete_pods[0]), "running");
}

TEST(KueueRepair, ReadinessIsReportedOnce) {
  GangInput input = Input(ExampleGang(kScheduler));
  input.status = Yaml("{conditions: [{type: Ready, status: 'True'}]}");
  Value object = Yaml(
      "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: podgang-llm-0, "
      "namespace: ai}, status: {conditions: [{type: Admitted, status: 'True'}]}}");
  Repair repair;
  AddRepair(input, std::vector<Value>{object}, {}, "2026-01-01T00:00:00Z", repair);
  ASSERT_EQ(repair.reports.size(), 1u);
  object.Set("status", repair.reports[0].status);
  Repair again;
  AddRepair(input, std::vector<Value>{object}, {}, "2026-01-01T00:00:00Z", again);
  EXPECT_TRUE(again.reports.empty());
}

Value PodOf(const GangInput& input, const std::string& group, int64_t index) {
  Value pod = Yaml("{apiVersion: v1, kind: Pod, spec: {containers: [{name: main, image: w}]}}");
  EXPECT_TRUE(PrepareGangPod(SchedulerPluginsBackend(), input, {group, index}, pod));
  return pod;
}

TEST(KueuePodGroups, PodsNameTheirGroupAndNoWorkloadIsWritten) {
  const GangInput input = Input(ExampleGang(kScheduler), ", kueueMode: PodGroup");
  const Translation translation = TranslateGang(SchedulerPluginsBackend(), input);
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  EXPECT_EQ(translation.objects.size(), 1u);  // The scheduler's own.
  const Value core = PodOf(input, "llm-0-fe", 0);
  EXPECT_EQ(kube::Label(core, "kueue.x-k8s.io/queue-name"), "team-a");
  EXPECT_EQ(kube::Label(core, "kueue.x-k8s.io/pod-group-name"), "llm-0");
  EXPECT_EQ(kube::Annotation(core, "kueue.x-k8s.io/pod-group-total-count"), "6");
  EXPECT_EQ(kube::Annotation(core, "kueue.x-k8s.io/role-hash"), "llm-0-fe");
  const Value surplus = PodOf(input, "llm-0-fe", 2);
  EXPECT_EQ(kube::Label(surplus, "kueue.x-k8s.io/queue-name"), "team-a");
  EXPECT_EQ(kube::Label(surplus, "kueue.x-k8s.io/pod-group-name"), "");
}

TEST(KueuePodGroups, OurGateDoesNotWaitAndKueuesWorkloadGivesTheReason) {
  GangInput input = Input(ExampleGang(kScheduler), ", kueueMode: PodGroup");
  EXPECT_TRUE(CheckAdmission(input, "llm-0-fe").admitted);
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{
      Yaml("{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: llm-0, "
           "namespace: ai}, "
           "status: {conditions: [{type: QuotaReserved, status: 'False', reason: ExceedsMaxQuota, "
           "message: too much}]}}")});
  Signals signals;
  AddSignals(input, {}, signals);
  EXPECT_EQ(signals.unschedulable_reason, "ExceedsMaxQuota");
  EXPECT_EQ(signals.unschedulable_message, "too much");
}

// The base gang with these minimums of its two roles.
GangInput TwoRoles(int64_t frontends, int64_t workers, const std::string& more = "") {
  GangInput input = Input(ExampleGang(kScheduler), more);
  input.gang.pod_groups[0].min_replicas = frontends;
  input.gang.pod_groups[1].min_replicas = workers;
  input.gang.pod_groups[1].topology = {};
  return input;
}

TEST(KueueWorkload, ALevelAcrossAPairIsAPodSetGroup) {
  const Value workload = WorkloadOf(TwoRoles(1, 4));
  for (const Value& set : workload["spec"]["podSets"].Items()) {
    EXPECT_EQ(set["topologyRequest"],
              Yaml("{required: topology.kubernetes.io/rack, podSetGroupName: llm-0, podIndexLabel: "
                   "grove.io/podclique-pod-index}"));
  }
  const Value two_and_four = WorkloadOf(TwoRoles(2, 4));
  EXPECT_EQ(two_and_four["spec"]["podSets"].At(0)["topologyRequest"],
            Yaml("{unconstrained: true}"));
  const GangInput strict = TwoRoles(1, 4, ", kueueTopology: Reject");
  EXPECT_FALSE(TranslateGang(SchedulerPluginsBackend(), strict).refusal);
}

TEST(KueueWorkload, APairWhoseHalvesDifferIsForTheSchedulerBehind) {
  GangInput input = TwoRoles(1, 4);
  input.profile.options =
      Yaml("{admission: kueue, topology: {requiredGang: PodAffinity, requiredGroup: PodAffinity}}");
  input.gang.pod_groups[1].topology.required = "kubernetes.io/hostname";
  const Value sets = WorkloadOf(input)["spec"]["podSets"];
  EXPECT_EQ(sets.At(0)["topologyRequest"], Yaml("{unconstrained: true}"));
  EXPECT_EQ(sets.At(1)["topologyRequest"], Yaml("{unconstrained: true}"));
}

TEST(KueueWorkload, ALevelOfAConfigIsItsOnlyPodSets) {
  GangInput input = TwoRoles(2, 4);
  input.profile.options = Yaml("{admission: kueue, topology: {requiredGroup: PodAffinity}}");
  input.gang.topology = {};
  input.gang.group_configs = {
      {"llm-0-pf-0", {"llm-0-pf-0-wk"}, {"topology.kubernetes.io/rack", ""}}};
  const Value sets = WorkloadOf(input)["spec"]["podSets"];
  EXPECT_FALSE(sets.At(0).Has("topologyRequest"));
  EXPECT_EQ(sets.At(1)["topologyRequest"]["required"].AsString(), "topology.kubernetes.io/rack");
}

TEST(KueueQueue, ConflictIsRefusedAndNothingSlipsPast) {
  GangInput input = Input(ExampleGang(kScheduler));
  input.set = Yaml(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: llm, namespace: ai, "
      "labels: {kueue.x-k8s.io/queue-name: team-a}}, spec: {template: {cliques: [{name: fe, "
      "labels: "
      "{kueue.x-k8s.io/queue-name: team-b}}]}}}");
  const Translation translation = TranslateGang(SchedulerPluginsBackend(), input);
  ASSERT_TRUE(translation.refusal);
  EXPECT_EQ(translation.refusal->reason, reasons::kQueueUnresolved);
}

TEST(KueuePodGroups, AReleasedGangCountsAsBefore) {
  GangInput input = Input(ExampleScaledGang(kScheduler), ", kueueMode: PodGroup");
  input.gang.pod_groups[0].template_min_replicas = 4;
  input.gang.pod_groups[0].min_replicas = 0;
  Value pod = Yaml("{apiVersion: v1, kind: Pod, spec: {containers: [{name: main, image: w}]}}");
  ASSERT_TRUE(PrepareGangPod(SchedulerPluginsBackend(), input, {"llm-0-pf-1-wk", 0}, pod));
  EXPECT_EQ(kube::Annotation(pod, "kueue.x-k8s.io/pod-group-total-count"), "4");
}

}  // namespace
}  // namespace coppice::backends::kueue
