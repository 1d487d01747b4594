#include "services/nodes/nodes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/nodes/node_health.h"
#include "services/nodes/tolerated.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::nodes {
namespace {

using json::Value;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

std::optional<base::Duration> Tolerated(std::string_view tolerations, std::string_view taints) {
  return ToleratedFor(Doc(fmt::format("spec: {{tolerations: {}}}", tolerations)),
                      Doc(fmt::format("spec: {{taints: {}}}", taints)));
}

TEST(ToleratedFor, OnlyNoExecuteEvicts) {
  EXPECT_EQ(Tolerated("[]", "[{key: a, effect: NoSchedule}]"), std::nullopt);
  EXPECT_EQ(Tolerated("[]", "[{key: a, effect: NoExecute}]"), base::Duration::zero());
}

TEST(ToleratedFor, MatchesKeyValueAndEffect) {
  const auto* taint = "[{key: a, value: b, effect: NoExecute}]";
  EXPECT_EQ(Tolerated("[{key: a, value: b}]", taint), std::nullopt);
  EXPECT_EQ(Tolerated("[{key: a, operator: Exists}]", taint), std::nullopt);
  EXPECT_EQ(Tolerated("[{operator: Exists}]", taint), std::nullopt);
  EXPECT_EQ(Tolerated("[{key: a, value: c}]", taint), base::Duration::zero());
  EXPECT_EQ(Tolerated("[{key: a, operator: Exists, effect: NoSchedule}]", taint),
            base::Duration::zero());
}

TEST(ToleratedFor, TheShortestTolerationCounts) {
  EXPECT_EQ(Tolerated("[{key: a, operator: Exists, tolerationSeconds: 30}, "
                      "{key: b, operator: Exists, tolerationSeconds: 10}]",
                      "[{key: a, effect: NoExecute}, {key: b, effect: NoExecute}]"),
            seconds(10));
  EXPECT_EQ(Tolerated("[{key: a, operator: Exists, tolerationSeconds: -5}]",
                      "[{key: a, effect: NoExecute}]"),
            base::Duration::zero());
}

TEST(DesiredTaints, FollowConditionsAndCordonAndKeepOthers) {
  const Value node =
      Doc("{spec: {unschedulable: true, taints: [{key: mine, effect: NoSchedule}, "
          "{key: node.kubernetes.io/disk-pressure, effect: NoSchedule}]}, "
          "status: {conditions: [{type: Ready, status: Unknown}]}}");
  const auto taints = DesiredTaints(node, base::Time{});
  ASSERT_TRUE(taints);
  std::vector<std::string> shown;
  for (const Value& taint : taints->Items()) {
    shown.push_back(taint["key"].ToString() + ":" + taint["effect"].ToString());
  }
  EXPECT_THAT(shown,
              ::testing::ElementsAre("mine:NoSchedule", "node.kubernetes.io/unreachable:NoSchedule",
                                     "node.kubernetes.io/unreachable:NoExecute",
                                     "node.kubernetes.io/unschedulable:NoSchedule"));
  Value tainted = node;
  tainted.Mutable("spec").Set("taints", *taints);
  EXPECT_FALSE(DesiredTaints(tainted, base::Time{})) << "written once";
}

class NodesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    AddToManager(*cluster.manager);
    cluster.Create(api::kNodes,
                   "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {conditions: "
                   "[{type: Ready, status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z'}]}}");
    cluster.Create(api::kPods,
                   "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, "
                   "spec: {nodeName: n1, containers: [{name: c, image: i}]}}");
    SetPodReady();
    cluster.Start();
  }

  void SetPodReady() {
    ASSERT_TRUE(cluster.client().Patch(
        api::kPods, {"default", "p"}, kube::PatchType::kMerge,
        Doc("status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}"),
        {.subresource = "status"}));
  }
  void Renew(int count) {
    if (count == 0) {
      cluster.Create(api::kLeases,
                     "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: "
                     "{name: n1, namespace: kube-node-lease}, spec: {holderIdentity: n1, "
                     "renewTime: '2026-01-01T00:00:00.000000Z'}}");
      return;
    }
    ASSERT_TRUE(cluster.client().Patch(
        api::kLeases, {"kube-node-lease", "n1"}, kube::PatchType::kMerge,
        Doc(fmt::format("spec: {{renewTime: '2026-01-01T00:{:02}:00.000000Z'}}", count)), {}));
  }
  bool NodeIs(std::string_view status) {
    return kube::ConditionIs(cluster.Get(api::kNodes, "n1", ""), "Ready", status);
  }
  void Taint(std::string_view taints) {
    ASSERT_TRUE(cluster.client().Patch(api::kNodes, {"", "n1"}, kube::PatchType::kMerge,
                                       Doc(fmt::format("spec: {{taints: {}}}", taints)), {}));
    cluster.Settle(seconds(1));
  }
  bool PodIsLeaving() {
    return !cluster.Exists(api::kPods, "p") || kube::IsDeleting(cluster.Get(api::kPods, "p"));
  }

  TestCluster cluster{1};
};

TEST_F(NodesTest, ANodeWithoutALeaseIsLeftAlone) {
  cluster.Settle(seconds(300));
  EXPECT_TRUE(NodeIs("True"));
}

TEST_F(NodesTest, ASilentKubeletMakesItsNodeUnknownAndItsPodsUnready) {
  Renew(0);
  for (int i = 1; i < 6; ++i) {
    cluster.Settle(seconds(20));
    Renew(i);
  }
  EXPECT_TRUE(NodeIs("True"));
  cluster.Settle(seconds(65));
  EXPECT_TRUE(NodeIs("Unknown"));
  EXPECT_TRUE(kube::ConditionIs(cluster.Get(api::kPods, "p"), "Ready", "False"));
  EXPECT_THAT(cluster.EventsOf("Node", "n1"), Contains(HasSubstr("NodeNotReady")));
  EXPECT_FALSE(PodIsLeaving());
  cluster.Settle(seconds(320));  // The default toleration is 300 s.
  EXPECT_TRUE(PodIsLeaving());
}

TEST_F(NodesTest, AKubeletThatReturnsClearsTheTaints) {
  Renew(0);
  cluster.Settle(seconds(90));
  ASSERT_TRUE(NodeIs("Unknown"));
  ASSERT_EQ(cluster.Get(api::kNodes, "n1", "")["spec"]["taints"].size(), 2u);
  Renew(1);
  ASSERT_TRUE(cluster.client().Patch(
      api::kNodes, {"", "n1"}, kube::PatchType::kStrategic,
      Doc("status: {conditions: [{type: Ready, status: 'True', lastHeartbeatTime: "
          "'2026-01-01T01:00:00Z'}]}"),
      {.subresource = "status"}));
  cluster.Settle(seconds(10));
  EXPECT_EQ(cluster.Get(api::kNodes, "n1", "")["spec"]["taints"].size(), 0u);
  cluster.Settle(seconds(20));
  EXPECT_FALSE(PodIsLeaving());
}

TEST_F(NodesTest, ATaintEvictsPodsThatDoNotTolerateIt) {
  cluster.Settle(seconds(1));
  Taint("[{key: broken, effect: NoSchedule}]");
  EXPECT_FALSE(PodIsLeaving());
  Taint("[{key: broken, effect: NoExecute}]");
  EXPECT_TRUE(PodIsLeaving());
  EXPECT_THAT(cluster.EventsOf("Pod", "p"), Contains(HasSubstr("TaintManagerEviction")));
}

TEST_F(NodesTest, ATaintThatIsRemovedInTimeEvictsNobody) {
  cluster.Settle(seconds(1));
  Taint("[{key: node.kubernetes.io/unreachable, effect: NoExecute}]");
  cluster.Settle(seconds(200));
  Taint("[]");
  cluster.Settle(seconds(10));
  Taint("[{key: node.kubernetes.io/unreachable, effect: NoExecute}]");
  cluster.Settle(seconds(200));
  EXPECT_FALSE(PodIsLeaving()) << "the time starts anew";
  cluster.Settle(seconds(101));
  EXPECT_TRUE(PodIsLeaving());
}

TEST_F(NodesTest, AtRestNothingIsWritten) {
  Renew(0);
  cluster.Settle(seconds(90));
  const std::string before =
      cluster.Get(api::kNodes, "n1", "")["metadata"]["resourceVersion"].ToString();
  cluster.Settle(seconds(60));
  EXPECT_EQ(cluster.Get(api::kNodes, "n1", "")["metadata"]["resourceVersion"].ToString(), before);
}

}  // namespace
}  // namespace coppice::services::nodes
