#include "services/scheduler/service.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "http/client.h"
#include "json/parse.h"
#include "kube/object.h"
#include "services/binder/controller.h"
#include "services/grouper/controller.h"
#include "services/scheduler/config_file.h"
#include "services/scheduler/plugin_server.h"
#include "services/scheduler/read/numa.h"
#include "services/scheduler/shards.h"
#include "services/scheduler/snapshot.h"
#include "services/scheduler/workload_groups.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServiceTest : public ::testing::Test {
 protected:
  std::shared_ptr<Service> AddScheduler(Options options) {
    grouper::AddToManager(*cluster.manager, {});
    EXPECT_TRUE(binder::AddToManager(*cluster.manager, {}));
    auto added = AddToManager(*cluster.manager, std::move(options));
    EXPECT_TRUE(added) << added.error().message();
    return added ? *added : nullptr;
  }
  std::string NodeOf(std::string_view pod) {
    return cluster.Get(api::kPods, pod)["spec"]["nodeName"].ToString();
  }
  int Bound(std::string_view prefix) {
    int count = 0;
    for (const json::Value& pod : cluster.List(api::kPods, "default")) {
      count += kube::Name(pod).starts_with(prefix) && !kube::IsDeleting(pod) &&
               !pod["spec"]["nodeName"].AsString().empty();
    }
    return count;
  }

  TestCluster cluster{1};
};

TEST_F(ServiceTest, PluginServerServesSnapshotAndJobOrder) {
  cluster.AddNode("n1", 1);
  cluster.AddQueue("root", "", -1);
  cluster.AddQueue("a", "root", 0);
  Options options;
  options.configuration.plugins.push_back({"reflectjoborder", {}});
  const auto service = AddScheduler(std::move(options));
  cluster.Start();
  const json::Value waits = cluster.AddPod("waits", "a", 2);
  cluster.Settle();
  auto server = StartPluginServer(0, service);
  ASSERT_TRUE(server) << server.error().ToString();
  auto transport = http::ClientTransport::Make({});
  const auto get = [&](const char* path) {
    return (*transport)
        ->Send({.url = fmt::format("http://127.0.0.1:{}{}", (*server)->port(), path)})
        .response;
  };
  const auto order = get("/get-job-order");
  ASSERT_TRUE(order);
  const json::Value jobs = *json::Parse(order->BodyView());
  const std::string group = fmt::format("pg-waits-{}", kube::Uid(waits));
  EXPECT_EQ(jobs["global_order"].At(0)["id"].AsString(), group);
  EXPECT_EQ(jobs["global_order"].At(0)["priority"].AsInt(), 50);
  EXPECT_EQ(jobs["queue_order"]["a"].At(0)["id"].AsString(), group);
  const auto snapshot = get("/get-snapshot");
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->headers.Get("content-type"), "application/zip");
  EXPECT_THAT(std::string(snapshot->headers.Get("content-disposition")),
              HasSubstr("filename=snapshot.zip"));
  EXPECT_TRUE(ReadSnapshot(std::string(snapshot->BodyView())).ok());
  const auto other = get("/other");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->status, 404);
  EXPECT_THAT(std::string(other->BodyView()), StartsWith("plugin not found"));
}

// As `coppice run scheduler --plugin-server-port` starts it.
TEST_F(ServiceTest, PluginServerLivesAsLongAsTheManager) {
  Options options;
  {
    const auto other = AddToManager(*cluster.manager, {});
    options.plugin_server_port = (*StartPluginServer(0, *other))->port();  // Free again.
  }
  options.partition_label_value = "pool";
  const std::string url =
      fmt::format("http://127.0.0.1:{}/get-snapshot", options.plugin_server_port);
  ASSERT_TRUE(AddWithPluginServer(*cluster.manager, std::move(options)));
  cluster.Start();
  cluster.Settle();
  const auto answer = (*http::ClientTransport::Make({}))->Send({.url = url}).response;
  ASSERT_TRUE(answer) << answer.error().ToString();
  EXPECT_EQ(answer->status, 200);
}

TEST_F(ServiceTest, PastUsageShiftsTheFairShare) {
  cluster.AddNode("n1", 4);
  cluster.AddQueue("root", "", -1);
  cluster.AddQueue("greedy", "root", 0);
  cluster.AddQueue("modest", "root", 0);
  Options options;
  options.usage_db =
      Doc("{clientType: embedded, usageParams: {windowSize: 1h, fetchInterval: 10s,"
          " extraParams: {queryResolution: 10s}}}");
  for (engine::PluginConfig& plugin : options.configuration.plugins) {
    if (plugin.name == "proportion") plugin.arguments["kValue"] = "1";
  }
  AddScheduler(std::move(options));
  cluster.Start();
  for (int i = 0; i < 4; ++i) cluster.AddPod(fmt::format("greedy-{}", i), "greedy", 1);
  cluster.Settle(std::chrono::minutes(2));
  cluster.RunBoundPods();
  ASSERT_EQ(Bound("greedy"), 4);
  cluster.Settle(std::chrono::minutes(30));
  // All of it was used by one queue for half an hour: now the other's share is larger than half.
  for (int i = 0; i < 4; ++i) cluster.AddPod(fmt::format("modest-{}", i), "modest", 1);
  for (int i = 0; i < 10; ++i) {
    cluster.Settle(std::chrono::seconds(30));
    for (const json::Value& pod : cluster.List(api::kPods, "default")) {
      if (kube::IsDeleting(pod)) {
        (void)cluster.client().Delete(api::kPods, kube::KeyOf(pod), {.grace_period_seconds = 0});
      }
    }
    cluster.RunBoundPods();
  }
  EXPECT_GE(Bound("modest"), 3);
  EXPECT_LE(Bound("greedy"), 1);
}

// Jobs that need the whole cluster, one waiting in every queue all the time: who gets it how often.
class TurnsTest : public ServiceTest {
 protected:
  void Start(const std::map<std::string, int>& weights, const std::string& k_value = "1") {
    cluster.AddNode("n1", 4);
    cluster.AddQueue("root", "", -1);
    for (const auto& [name, weight] : weights) {
      cluster.AddQueue(name, "root", 0);
      ASSERT_TRUE(cluster.client().Patch(
          api::kQueues, {"", name}, kube::PatchType::kMerge,
          Doc(fmt::format("spec: {{resources: {{gpu: {{overQuotaWeight: {}}}}}}}", weight))));
    }
    Options options;
    options.usage_db =
        Doc("{clientType: embedded, usageParams: {windowSize: 4h, fetchInterval: 10s,"
            " extraParams: {queryResolution: 10s}}}");
    for (engine::PluginConfig& plugin : options.configuration.plugins) {
      if (plugin.name == "proportion") plugin.arguments["kValue"] = k_value;
    }
    AddScheduler(std::move(options));
    cluster.Start();
  }
  std::map<std::string, int> Play(const std::map<std::string, int>& weights, int rounds) {
    std::map<std::string, int> turns;
    for (int round = 0; round < rounds; ++round) {
      for (const auto& [queue, weight] : weights) {
        if (!cluster.Exists(api::kPods, queue)) cluster.AddPod(queue, queue, 4);
      }
      cluster.Settle(std::chrono::seconds(15));
      cluster.RunBoundPods();
      cluster.Settle(std::chrono::minutes(5));
      for (const auto& [queue, weight] : weights) {
        if (NodeOf(queue).empty()) continue;
        ++turns[queue];
        EXPECT_TRUE(
            cluster.client().Delete(api::kPods, {"default", queue}, {.grace_period_seconds = 0}));
      }
    }
    return turns;
  }
};

TEST_F(TurnsTest, ThreeQueuesTakeTurns) {
  const std::map<std::string, int> weights = {{"a", 1}, {"b", 1}, {"c", 1}};
  Start(weights);
  // The last of them gets less than a third here, as with KAI: when a job ends, its own queue has
  // nothing that waits yet, and whole GPUs are divided between the two others. The unit left over
  // goes to the larger fraction, which is often that of the queue that used more; on a tie the name
  // decides. It takes a while until the third queue's share is the largest outright.
  const auto turns = Play(weights, 60);
  for (const auto& [queue, weight] : weights) {
    EXPECT_GE(turns.contains(queue) ? turns.at(queue) : 0, 10) << queue;
  }
}

// By the formula the whole share is the light queue's once the heavy one has used nine tenths, and
// the heavy one's again once the light one has used three: w + k(w - u) is nothing then. Evicted
// pods take longer to end here than a pod may take.
TEST_F(TurnsTest, AHeavyQueueLeavesTheClusterToALightOneAtTimes) {
  const std::map<std::string, int> weights = {{"light", 1}, {"heavy", 3}};
  Start(weights, "5");
  const auto turns = Play(weights, 24);
  ASSERT_TRUE(turns.contains("light"));
  ASSERT_TRUE(turns.contains("heavy"));
  EXPECT_GE(turns.at("light"), 4);
  EXPECT_GT(turns.at("heavy"), turns.at("light"));
}

TEST_F(TurnsTest, WeightsDecideInTheLongRun) {
  const std::map<std::string, int> weights = {{"light", 1}, {"heavy", 3}};
  Start(weights);
  // Jobs that leave room for each other: who gets how much of the cluster.
  std::map<std::string, int> turns;
  for (int round = 0; round < 6; ++round) {
    std::map<std::string, std::string> queue_of;
    for (const auto& [queue, weight] : weights) {
      for (int i = 0; i < 4; ++i) queue_of[fmt::format("{}-{}-{}", queue, round, i)] = queue;
    }
    for (const auto& [pod, queue] : queue_of) cluster.AddPod(pod, queue, 1);
    cluster.Settle(std::chrono::minutes(5));
    cluster.RunBoundPods();
    for (const auto& [pod, queue] : queue_of) {
      turns[queue] += cluster.Exists(api::kPods, pod) && !NodeOf(pod).empty() ? 1 : 0;
      (void)cluster.client().Delete(api::kPods, {"default", pod}, {.grace_period_seconds = 0});
    }
  }
  EXPECT_GT(turns.at("heavy"), turns.at("light"));
  EXPECT_GE(turns.at("light"), 2);
}

TEST_F(ServiceTest, AUsageConfigurationThatCannotBeUsedIsAnError) {
  Options options;
  options.usage_db = Doc("{clientType: influx}");
  const auto added = AddToManager(*cluster.manager, std::move(options));
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message(), HasSubstr("clientType"));
}

// F-38: two shards on disjoint node pools.
class ShardsTest : public ServiceTest {
 protected:
  static constexpr const char* kPool = "kai.scheduler/node-pool";

  ShardsTest() {
    cluster.AddPriorityClasses();
    cluster.AddNode("a1", 4, "kai.scheduler/node-pool: a");
    cluster.AddNode("d1", 4);
    AddQueueIn("root-a", "", "a");
    AddQueueIn("team-a", "root-a", "a");
    AddQueueIn("root", "", "");
    AddQueueIn("team", "root", "");
    for (const auto& [name, value] : {std::pair{"default", ""}, {"pool-a", "a"}}) {
      cluster.Create(api::kSchedulingShards,
                     fmt::format("{{apiVersion: kai.scheduler/v1, kind: SchedulingShard, metadata: "
                                 "{{name: {}}}, spec: {{partitionLabelValue: '{}'}}}}",
                                 name, value));
    }
    grouper::AddToManager(*cluster.manager, {});
    EXPECT_TRUE(binder::AddToManager(*cluster.manager, {}));
    const auto shards = ReadShards(cluster.client(), {});
    EXPECT_EQ(shards->schedulers.size(), 2);
    for (const Options& shard : shards->schedulers) {
      EXPECT_TRUE(AddWithPluginServer(*cluster.manager, shard));
    }
    cluster.Start();
  }

  void AddQueueIn(std::string_view name, std::string_view parent, std::string_view pool) {
    cluster.AddQueue(name, parent, -1);
    if (pool.empty()) return;
    ASSERT_TRUE(
        cluster.client().Patch(api::kQueues, {"", std::string(name)}, kube::PatchType::kMerge,
                               Doc(fmt::format("metadata: {{labels: {{{}: {}}}}}", kPool, pool))));
  }
};

TEST_F(ShardsTest, AShardThatIsWrongKeepsNobodyElseFromWorking) {
  cluster.Create(api::kSchedulingShards,
                 "{apiVersion: kai.scheduler/v1, kind: SchedulingShard, metadata: {name: odd}, "
                 "spec: {partitionLabelValue: b, queueDepthPerAction: {nothing: 3}}}");
  const auto shards = ReadShards(cluster.client(), {});
  ASSERT_TRUE(shards);
  EXPECT_EQ(shards->schedulers.size(), 2);
  ASSERT_EQ(shards->refused.size(), 1);
  EXPECT_EQ(kube::Name(shards->refused[0].shard), "odd");
}

TEST_F(ShardsTest, ChangesAreNoticed) {
  auto manager = kube::Manager::Make(cluster.client(), cluster.stepper);
  auto shards = ReadShards(cluster.client(), {});
  int changes = 0;
  ASSERT_TRUE(WatchShards(*manager, *shards, [&] { ++changes; }));
  manager->Start();
  cluster.Settle();
  EXPECT_EQ(changes, 0);
  const auto patch = [&](std::string_view text) {
    EXPECT_TRUE(cluster.client().Patch(api::kSchedulingShards, {"", "pool-a"},
                                       kube::PatchType::kMerge, Doc(text)));
    cluster.Settle();
  };
  patch("metadata: {labels: {a: b}}");
  EXPECT_EQ(changes, 0);
  patch("spec: {kValue: 0.5}");
  EXPECT_EQ(changes, 1);
  EXPECT_TRUE(cluster.client().Delete(api::kSchedulingShards, {"", "default"}));
  cluster.Settle();
  EXPECT_EQ(changes, 2);
  manager->Stop();
}

TEST_F(ShardsTest, EachTakesItsOwnNodesQueuesAndGroups) {
  cluster.AddPod("in-a", "team-a", 1, "labels: {kai.scheduler/node-pool: a}");
  cluster.AddPod("in-default", "team", 1);
  cluster.Settle();
  EXPECT_EQ(NodeOf("in-a"), "a1");
  EXPECT_EQ(NodeOf("in-default"), "d1");
  EXPECT_EQ(kube::Label(cluster.Get(api::kBindRequests, "in-a"), kPool), "a");
  EXPECT_EQ(kube::Label(cluster.Get(api::kBindRequests, "in-default"), kPool), "");
}

TEST_F(ShardsTest, NeitherTouchesTheOthersRoom) {
  cluster.AddPod("big-a", "team-a", 4, "labels: {kai.scheduler/node-pool: a}");
  cluster.AddPod("more-a", "team-a", 4, "labels: {kai.scheduler/node-pool: a}");
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_EQ((NodeOf("big-a") == "a1") + (NodeOf("more-a") == "a1"), 1);
  EXPECT_EQ((NodeOf("big-a") == "d1") + (NodeOf("more-a") == "d1"), 0);
  cluster.AddPod("foreign-queue", "team-a", 1);  // Its group is the default shard's.
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_EQ(NodeOf("foreign-queue"), "");
}

TEST_F(ServiceTest, EvictionsSayWhoEvictedWhom) {
  cluster.AddPriorityClasses();
  cluster.AddNode("n1", 1);
  cluster.AddQueue("root", "", -1);
  cluster.AddQueue("a", "root", -1);
  AddScheduler({});
  cluster.Start();
  cluster.AddPod("low", "a", 1, "labels: {priorityClassName: train}");
  cluster.Settle();
  cluster.RunBoundPods();
  const json::Value high = cluster.AddPod("high", "a", 1, "labels: {priorityClassName: build}");
  cluster.Settle();
  const json::Value* evict = nullptr;
  const std::vector<json::Value> events = cluster.List(api::kEvents);
  for (const json::Value& event : events) {
    if (event["reason"].AsString() == "Evict") evict = &event;
  }
  ASSERT_TRUE(evict);
  EXPECT_EQ(kube::Annotation(*evict, "evictor-action-type"), "preempt");
  EXPECT_EQ(kube::Annotation(*evict, "num-evicted-pods"), "1");
  EXPECT_EQ(kube::Annotation(*evict, "evictor-pod-group-namespace"), "default");
  EXPECT_EQ(kube::Annotation(*evict, "evictor-pod-group-name"),
            fmt::format("pg-high-{}", kube::Uid(high)));
}

// nvidia.com/gpu on a node whose GPUs only a device class offers.
TEST_F(ServiceTest, ExtendedResourcesAreServedByDevices) {
  cluster.AddQueue("root", "", -1);
  cluster.AddQueue("a", "root", -1);
  cluster.AddNode("n1", 0);
  ASSERT_TRUE(cluster.client().Patch(
      api::kNodes, {"", "n1"}, kube::PatchType::kMerge,
      Doc("status: {allocatable: {nvidia.com/gpu: null}, capacity: {nvidia.com/gpu: null}}"),
      {.subresource = "status"}));
  cluster.Create(api::kDeviceClasses, R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec: {extendedResourceName: nvidia.com/gpu, selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
)");
  cluster.Create(api::kResourceSlices, R"(
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-gpus}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}]
)");
  AddScheduler({});
  cluster.Start();
  for (const char* name : {"p1", "p2", "p3"}) cluster.AddPod(name, "a", 1);
  cluster.Settle(std::chrono::seconds(20));
  std::set<std::string> devices;
  int bound = 0;
  for (const char* name : {"p1", "p2", "p3"}) {
    if (NodeOf(name).empty()) continue;
    ++bound;
    const json::Value extended =
        cluster.Get(api::kBindRequests, name)["spec"]["extendedResourceClaimAllocation"];
    devices.insert(extended["allocation"]["devices"]["results"].At(0)["device"].ToString());
    EXPECT_EQ(extended["deviceRequests"].At(0)["exactly"]["deviceClassName"].AsString(),
              "gpu.example.com");
    EXPECT_EQ(extended["containerMappings"].At(0)["containerName"].AsString(), "main");
    EXPECT_TRUE(cluster.Get(api::kPods, name)["status"].Has("extendedResourceClaimStatus"));
  }
  EXPECT_EQ(bound, 2);  // Two devices, three pods.
  EXPECT_EQ(devices.size(), 2);
}

TEST_F(ServiceTest, NumaZonesDecide) {
  json::Value crd = Doc(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: noderesourcetopologies.topology.node.k8s.io}
spec:
  group: topology.node.k8s.io
  names: {kind: NodeResourceTopology, plural: noderesourcetopologies}
  scope: Cluster
  versions:
  - name: v1alpha2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)");
  ASSERT_TRUE(cluster.server->InstallCrd(crd));
  cluster.AddQueue("root", "", -1);
  cluster.AddQueue("a", "root", -1);
  for (const auto& [node, zone] : {std::pair{"split", 1}, {"whole", 2}}) {
    cluster.AddNode(node, 2);
    std::string zones;
    for (int i = 0; i < 2 / zone; ++i) {
      zones += fmt::format(
          "- {{name: node-{0}, type: Node, resources: [{{name: nvidia.com/gpu, "
          "allocatable: '{1}', available: '{1}'}}]}}\n",
          i, zone);
    }
    cluster.Create(
        kNodeResourceTopologies,
        fmt::format("apiVersion: topology.node.k8s.io/v1alpha2\nkind: "
                    "NodeResourceTopology\nmetadata: {{name: {}}}\nattributes:\n- "
                    "{{name: topologyManagerPolicy, value: single-numa-node}}\nzones:\n{}",
                    node, zones));
  }
  Options options;
  options.configuration.plugins.push_back({"numa", {}});
  AddScheduler(std::move(options));
  cluster.Start();
  cluster.AddPod("p", "a", 2);
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "whole");
  EXPECT_EQ(cluster.Get(api::kBindRequests, "p")["spec"]["predictedNUMAZones"],
            Doc("[{zone: node-0, amount: {nvidia.com/gpu: '2'}}]"));
  EXPECT_EQ(
      kube::Annotation(cluster.Get(api::kPods, "p"), "kai.scheduler/numa-placement-predicted"),
      R"([{"zone":"node-0","amount":{"nvidia.com/gpu":"2"}}])");
  cluster.AddPod("waits", "a", 2);
  cluster.Settle();
  EXPECT_EQ(NodeOf("waits"), "");
}

// Kubernetes' own gangs, for pods of the default scheduler.
class NativeGangTest : public ::testing::TestWithParam<const char*> {
 protected:
  NativeGangTest() {
    cluster.AddNode("n1", 2);
    cluster.AddNode("n2", 2);
    EXPECT_TRUE(AddToManager(*cluster.manager, {.take_default_scheduler = true}));
    cluster.Start();
    groups = **ServedPodGroups(cluster.client());
  }
  json::Value AddGroup(std::string_view name, std::string_view spec) {
    return cluster.Create(groups,
                          fmt::format("{{apiVersion: {}, kind: PodGroup, metadata: {{name: {}, "
                                      "namespace: default}}, spec: {{{}}}}}",
                                      groups.ApiVersion(), name, spec));
  }
  void AddMember(std::string_view name, std::string_view group, int gpus) {
    cluster.Create(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, namespace: default}}
spec:
  schedulingGroup: {{podGroupName: {}}}
  containers:
  - {{name: c, image: i, resources: {{limits: {{nvidia.com/gpu: "{}"}}}}}}
)",
                                           name, group, gpus));
  }
  std::string NodeOf(std::string_view pod) {
    return cluster.Get(api::kPods, pod)["spec"]["nodeName"].ToString();
  }
  json::Value ConditionOf(std::string_view group) {
    const char* type =
        std::string_view(GetParam()) == "1.36" ? "PodGroupScheduled" : "PodGroupInitiallyScheduled";
    return kube::Condition(cluster.Get(groups, group), type);
  }

  TestCluster cluster{1, GetParam()};
  api::Resource groups;
};

INSTANTIATE_TEST_SUITE_P(Releases, NativeGangTest, ::testing::Values("1.36", "1.37"));

TEST_P(NativeGangTest, AllOrNothing) {
  AddGroup("g", "schedulingPolicy: {gang: {minCount: 2}}");
  AddMember("a", "g", 2);
  cluster.Settle();
  EXPECT_EQ(NodeOf("a"), "");  // One of two.
  AddMember("b", "g", 2);
  cluster.Settle();
  EXPECT_NE(NodeOf("a"), "");
  EXPECT_NE(NodeOf("b"), "");
  EXPECT_EQ(ConditionOf("g")["status"].AsString(), "True");
  AddGroup("late", "schedulingPolicy: {gang: {minCount: 1}}");
  AddMember("c", "late", 1);
  cluster.Settle();
  EXPECT_EQ(NodeOf("c"), "");
  EXPECT_EQ(ConditionOf("late")["reason"].AsString(), "Unschedulable");
}

TEST_P(NativeGangTest, PodsWaitForTheirGroup) {
  AddMember("a", "g", 1);
  cluster.Settle();
  EXPECT_EQ(NodeOf("a"), "");
  AddGroup("g", "schedulingPolicy: {basic: {}}");
  cluster.Settle();
  EXPECT_NE(NodeOf("a"), "");
}

TEST_P(NativeGangTest, OneDomain) {
  AddGroup("g",
           "schedulingPolicy: {gang: {minCount: 2}},"
           " schedulingConstraints: {topology: [{key: kubernetes.io/hostname}]}");
  AddMember("a", "g", 1);
  AddMember("b", "g", 1);
  cluster.Settle();
  EXPECT_NE(NodeOf("a"), "");
  EXPECT_EQ(NodeOf("a"), NodeOf("b"));
}

}  // namespace
}  // namespace coppice::services::scheduler
