#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/binder/controller.h"
#include "services/grouper/controller.h"
#include "services/podgroups/controller.h"
#include "services/queues/controller.h"
#include "services/scheduler/service.h"
#include "services/scheduler/snapshot.h"
#include "services/test_cluster_testing.h"

// The services together: from a pod to its node.
namespace coppice::services {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class EndToEnd : public ::testing::Test {
 protected:
  EndToEnd() {
    cluster.AddPriorityClasses();
    cluster.AddNode("n1", 4);
    cluster.AddNode("n2", 4);
    cluster.AddQueue("root", "", -1);
    cluster.AddQueue("team-a", "root", 4);
    cluster.AddQueue("team-b", "root", 4);
    grouper::AddToManager(*cluster.manager, {});
    service = *scheduler::AddToManager(*cluster.manager, {.take_default_scheduler = true});
    EXPECT_TRUE(binder::AddToManager(*cluster.manager, {.fake_gpu_nodes = true}));
    EXPECT_TRUE(podgroups::AddToManager(*cluster.manager, {}));
    queues::AddToManager(*cluster.manager, {});
    cluster.Start();
  }

  std::string NodeOf(std::string_view pod) {
    return cluster.Get(api::kPods, pod)["spec"]["nodeName"].ToString();
  }

  std::shared_ptr<scheduler::Service> service;
  TestCluster cluster{1};
};

TEST_F(EndToEnd, PodIsGroupedScheduledAndBound) {
  const json::Value pod = cluster.AddPod("p", "team-a", 1);
  cluster.Settle();
  const std::string group = fmt::format("pg-p-{}", kube::Uid(pod));
  EXPECT_NE(NodeOf("p"), "");
  EXPECT_EQ(kube::Annotation(cluster.Get(api::kPods, "p"), "pod-group-name"), group);
  EXPECT_EQ(kube::Annotation(cluster.Get(api::kPods, "p"), "received-resource-type"), "Regular");
  const json::Value request = cluster.Get(api::kBindRequests, "p");
  EXPECT_EQ(request["status"]["phase"].AsString(), "Succeeded");
  EXPECT_EQ(request["spec"]["receivedGPU"]["count"].AsInt(), 1);
  EXPECT_THAT(cluster.EventsOf("Pod", "p"),
              Contains(HasSubstr("Scheduled: Successfully assigned")));
  EXPECT_THAT(cluster.EventsOf("Pod", "p"), Contains(HasSubstr("Bound: Pod bound successfully")));
}

TEST_F(EndToEnd, StatusOfGroupAndQueuesFollows) {
  const json::Value pod = cluster.AddPod("p", "team-a", 2);
  cluster.Settle();
  cluster.RunBoundPods();
  cluster.Settle();
  const json::Value group = cluster.Get(api::kPodGroups, fmt::format("pg-p-{}", kube::Uid(pod)));
  EXPECT_EQ(group["status"]["resourcesStatus"]["allocated"]["nvidia.com/gpu"].AsString(), "2");
  EXPECT_EQ(group["status"]["resourcesStatus"]["requested"]["cpu"].AsString(), "1");
  EXPECT_TRUE(group["metadata"]["annotations"].Has("kai.scheduler/last-start-timestamp"));
  const json::Value team = cluster.Get(api::kQueues, "team-a");
  const json::Value root = cluster.Get(api::kQueues, "root");
  EXPECT_EQ(team["status"]["allocated"]["nvidia.com/gpu"].AsString(), "2");
  EXPECT_EQ(root["status"]["allocated"]["nvidia.com/gpu"].AsString(), "2");
  EXPECT_EQ(root["status"]["childQueues"].size(), 2);
}

TEST_F(EndToEnd, GangThatDoesNotFitIsNotStartedInPart) {
  cluster.Create(api::kPodGroups, R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {minMember: 3, queue: team-a, priorityClassName: train}
)");
  for (const char* name : {"p0", "p1", "p2"}) {
    cluster.AddPod(name, "team-a", 4, "annotations: {pod-group-name: g}");
  }
  cluster.Settle();
  for (const char* name : {"p0", "p1", "p2"}) EXPECT_EQ(NodeOf(name), "") << name;
  const json::Value group = cluster.Get(api::kPodGroups, "g");
  EXPECT_EQ(group["status"]["schedulingConditions"].size(), 1);
  EXPECT_EQ(group["status"]["schedulingConditions"].At(0)["type"].AsString(),
            "UnschedulableOnNodePool");
  EXPECT_TRUE(kube::ConditionIs(cluster.Get(api::kPods, "p0"), "PodScheduled", "False"));
}

TEST_F(EndToEnd, PodOfTheDefaultSchedulerIsBoundDirectly) {
  cluster.Create(api::kPods,
                 "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default},"
                 " spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}}");
  cluster.Settle();
  EXPECT_NE(NodeOf("p"), "");
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "p"));
}

TEST_F(EndToEnd, SnapshotReplaysWhatTheSchedulerSees) {
  cluster.AddPod("runs", "team-a", 2);
  cluster.AddPod("waits", "team-a", 8);
  cluster.Settle();
  const auto snapshot = scheduler::ReadSnapshot(service->TakeSnapshot());
  ASSERT_TRUE(snapshot) << snapshot.error().message();
  engine::Engine replay(snapshot->options.configuration);
  scheduler::LoadSnapshot(*snapshot, replay);
  const engine::CycleResult result = replay.RunCycle(cluster.stepper.Now());
  EXPECT_TRUE(result.binds.empty());
  EXPECT_EQ(replay.FindNode(NodeOf("runs"))->used_gpus, 2);
}

TEST_F(EndToEnd, MetricsTellAboutQueuesAndCycles) {
  cluster.AddPod("p", "team-a", 2);
  cluster.Settle();
  const std::string text = cluster.manager->runtime().metrics.Text();
  EXPECT_THAT(text, HasSubstr("kai_e2e_scheduling_latency_milliseconds"));
  EXPECT_THAT(text, HasSubstr("kai_queue_fair_share_gpu{"));
  EXPECT_THAT(text, HasSubstr("kai_queue_allocated_gpus{"));
}

TEST_F(EndToEnd, IdleClusterWritesNothing) {
  cluster.AddPod("p", "team-a", 1);
  cluster.Settle(std::chrono::seconds(30));
  const auto version = [&] { return cluster.client().List(api::kPods)->resource_version; };
  const std::string before = version();
  cluster.Settle(std::chrono::minutes(10));
  EXPECT_EQ(version(), before);
}

}  // namespace
}  // namespace coppice::services
