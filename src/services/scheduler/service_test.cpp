#include "services/scheduler/service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "services/scheduler/read/numa.h"
#include "services/scheduler/tests/fixture_testing.h"

namespace coppice::services::scheduler {
namespace {

class ServiceTest : public SchedulerFixture {};

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
  AddDeviceNode("n1", 2);
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
metadata:
  name: noderesourcetopologies.topology.node.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for simulated nodes and tests"}
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

}  // namespace
}  // namespace coppice::services::scheduler
