#include <gtest/gtest.h>

#include "json/yaml/yaml.h"
#include "page/facts/node_facts.h"
#include "page/facts/owner_facts.h"
#include "page/facts/pod_facts.h"
#include "page/facts/queue_facts.h"
#include "page/facts/workload_id.h"

namespace coppice::page {
namespace {

json::Value Doc(std::string_view yaml) {
  auto document = json::ParseYaml(yaml);
  EXPECT_TRUE(document.ok()) << document.error().message();
  return *std::move(document);
}

TEST(PodFacts, SaysWhyAPodWaits) {
  const PodFacts facts = ReadPodFacts(Doc(R"yaml(
metadata: {name: a, namespace: x, creationTimestamp: "1970-01-01T00:01:00Z"}
spec:
  schedulerName: kai-scheduler
  containers:
  - {name: main, resources: {requests: {cpu: 500m}, limits: {cpu: "4", memory: 1Gi, nvidia.com/gpu: 2}}}
  initContainers:
  - {name: first, resources: {requests: {cpu: "2"}}}
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no room}]
)yaml"));
  EXPECT_EQ(facts.state, PodState::kPending);
  EXPECT_TRUE(facts.Waits());
  EXPECT_EQ(facts.reason, "Unschedulable");
  EXPECT_EQ(facts.message, "no room");
  EXPECT_EQ(facts.created, 60);
  // The init container needs more CPU than the other one requests; its limit does not count.
  EXPECT_EQ(facts.asks, (Amounts{2, 1 << 30, 2}));
  EXPECT_EQ(facts.workload, "x/Pod/a");
}

TEST(PodFacts, GatesContainersAndFractions) {
  EXPECT_EQ(ReadPodFacts(Doc("{spec: {schedulingGates: [{name: a}, {name: b}]}}")).message,
            "scheduling gates: a, b");
  const PodFacts stuck = ReadPodFacts(Doc(R"yaml(
metadata: {annotations: {gpu-fraction: "0.5"}, labels: {runai-gpu-group: g1}}
spec: {nodeName: n1}
status:
  containerStatuses: [{name: c, state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]
)yaml"));
  EXPECT_EQ(stuck.state, PodState::kStarting);
  EXPECT_EQ(stuck.reason, "ImagePullBackOff");
  EXPECT_EQ(stuck.Gpus(), 0.5);
  EXPECT_EQ(stuck.gpu_groups, std::vector<std::string>{"g1"});
}

TEST(WorkloadId, IsTheTopmostOwnerThatThePodKnows) {
  EXPECT_EQ(WorkloadOf(Doc(R"yaml(
metadata:
  name: web-5f-1
  namespace: x
  labels: {pod-template-hash: 5f}
  ownerReferences: [{kind: ReplicaSet, name: web-5f, controller: true}]
)yaml"))
                .ToString(),
            "x/Deployment/web");
  EXPECT_EQ(WorkloadOf(Doc(R"yaml(
metadata:
  name: llm-0-w-1
  namespace: x
  labels: {app.kubernetes.io/managed-by: grove-operator, app.kubernetes.io/part-of: llm}
  ownerReferences: [{kind: PodClique, name: llm-0-w, controller: true}]
)yaml"))
                .ToString(),
            "x/PodCliqueSet/llm");
  EXPECT_FALSE(WorkloadId::Parse("x/Job"));
  EXPECT_FALSE(WorkloadId::Parse("//a"));
  EXPECT_EQ(WorkloadId::Parse("x/Job/a")->name, "a");
}

TEST(NodeFacts, StateAndTaints) {
  const NodeFacts facts = ReadNodeFacts(Doc(R"yaml(
spec:
  unschedulable: true
  taints:
  - {key: node.kubernetes.io/unschedulable, effect: NoSchedule}
  - {key: dedicated, value: ml, effect: NoSchedule}
  - {key: soft, effect: PreferNoSchedule}
status:
  allocatable: {cpu: "64", memory: 1Gi, pods: "110", nvidia.com/gpu: "8"}
  conditions: [{type: Ready, status: "True"}]
)yaml"));
  EXPECT_TRUE(facts.cordoned);
  EXPECT_TRUE(facts.ready);
  EXPECT_EQ(facts.taints, std::vector<std::string>{"dedicated=ml:NoSchedule"});
  EXPECT_EQ(facts.has.gpus, 8);
}

TEST(QueueFacts, KaiUnitsAreMillicoresAndMegabytes) {
  const QueueFacts facts = ReadQueueFacts(Doc(R"yaml(
spec:
  parentQueue: top
  resources:
    gpu: {quota: 4, limit: -1, overQuotaWeight: 2}
    cpu: {quota: 1500, limit: 3000}
    memory: {quota: 2}
status: {allocated: {nvidia.com/gpu: "3"}}
)yaml"));
  EXPECT_EQ(facts.gpu, (QueueAmount{4, -1, 2, 3}));
  EXPECT_EQ(facts.cpu.quota, 1.5);
  EXPECT_EQ(facts.cpu.limit, 3);
  EXPECT_EQ(facts.memory.quota, 2e6);
}

TEST(QueueFacts, ClusterQueueBorrowsFromItsCohort) {
  const json::Value queue = Doc(R"yaml(
spec:
  cohortName: all
  resourceGroups:
  - flavors:
    - {name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8, borrowingLimit: 4}]}
    - {name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 2}]}
status:
  flavorsUsage: [{name: h100, resources: [{name: nvidia.com/gpu, total: 5}]}]
)yaml");
  const QueueFacts facts = ReadClusterQueueFacts(queue);
  EXPECT_EQ(facts.kind, "ClusterQueue");
  EXPECT_EQ(facts.parent, "all");
  EXPECT_EQ(facts.gpu.quota, 10);
  EXPECT_EQ(facts.gpu.limit, 12);
  EXPECT_EQ(facts.gpu.held, 5);
}

TEST(OwnerFacts, KueueSaysWhyItDoesNotAdmit) {
  const OwnerFacts facts = ReadKueueWorkload(Doc(R"yaml(
metadata: {namespace: x, ownerReferences: [{kind: Job, name: train, controller: true}]}
spec:
  queueName: lq
  podSets:
  - count: 4
    template: {spec: {containers: [{resources: {limits: {nvidia.com/gpu: 2}}}]}}
status:
  conditions: [{type: QuotaReserved, status: "False", reason: Pending, message: insufficient quota}]
)yaml"));
  EXPECT_EQ(facts.owner, "x/Job/train");
  EXPECT_EQ(facts.message, "insufficient quota");
  EXPECT_EQ(facts.asked, 8);
  EXPECT_TRUE(facts.suspended);
}

}  // namespace
}  // namespace coppice::page
