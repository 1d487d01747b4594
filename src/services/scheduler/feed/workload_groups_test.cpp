#include "services/scheduler/feed/workload_groups.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/scheduler/service.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

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
