#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/executor/priority.h"
#include "services/binder/fixture_testing.h"
#include "services/binder/model/outcome.h"

namespace coppice::services::binder {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class BinderTest : public BinderFixture {
 protected:
  void SetUp() override { Start(); }
};

TEST_F(BinderTest, BindsAWholeGpuPod) {
  cluster.AddPod("p", "q", 1);
  Request("p", kWhole);
  cluster.Settle();
  const json::Value pod = cluster.Get(api::kPods, "p");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_EQ(kube::Annotation(pod, "received-resource-type"), "Regular");
  EXPECT_TRUE(kube::ConditionIs(pod, "PodBound", "True"));
  EXPECT_THAT(cluster.EventsOf("Pod", "p"),
              Contains(HasSubstr("Bound: Pod bound successfully to node n1")));
  EXPECT_EQ(Phase("p"), "Succeeded");
}

// Pods that wait come before what is told of those that are bound.
TEST_F(BinderTest, WhatIsToldLetsUrgentWorkPassButNotForLong) {
  const kube::PriorityScope urgent(cluster.manager->runtime().priorities, kube::Priority::kHighest);
  cluster.AddPod("p", "q", 1);
  Request("p", kWhole);
  cluster.Settle(std::chrono::seconds(5));
  EXPECT_EQ(NodeOf("p"), "n1");
  EXPECT_EQ(Phase("p"), "");
  EXPECT_FALSE(kube::ConditionIs(cluster.Get(api::kPods, "p"), "PodBound", "True"));
  cluster.Settle(std::chrono::seconds(7));
  EXPECT_EQ(Phase("p"), "Succeeded");
  EXPECT_TRUE(kube::ConditionIs(cluster.Get(api::kPods, "p"), "PodBound", "True"));
}

// One that is created anew under the same name meanwhile is bound, not taken for the old one.
TEST_F(BinderTest, ANewRequestOfTheSameNameIsCarriedOut) {
  const kube::PriorityScope urgent(cluster.manager->runtime().priorities, kube::Priority::kHighest);
  cluster.AddPod("p", "q", 1);
  Request("p", kWhole);
  cluster.Settle(std::chrono::seconds(2));
  ASSERT_TRUE(cluster.client().Delete(api::kBindRequests, {"default", "p"}));
  ASSERT_TRUE(cluster.client().Delete(api::kPods, {"default", "p"}, {.grace_period_seconds = 0}));
  cluster.AddPod("p", "q", 1);
  Request("p", kWhole);
  cluster.Settle(std::chrono::seconds(2));
  EXPECT_EQ(NodeOf("p"), "n1");
}

TEST_F(BinderTest, MissingNodeFailsAndSaysSo) {
  cluster.AddPod("p", "q", 1);
  Request("p", "selectedNode: gone, receivedResourceType: Regular");
  cluster.Settle();
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_THAT(cluster.EventsOf("Pod", "p"), Contains(HasSubstr("BindingError: Failed to bind")));
  EXPECT_TRUE(kube::ConditionIs(cluster.Get(api::kPods, "p"), "PodBound", "False"));
}

TEST_F(BinderTest, RetriesUpToTheLimitAndCounts) {
  cluster.AddPod("p", "q", 1);
  Request("p", "selectedNode: late, receivedResourceType: Regular, backoffLimit: 5");
  cluster.Settle(std::chrono::seconds(2));
  EXPECT_EQ(Phase("p"), "Failed");
  const int64_t attempts = cluster.Get(api::kBindRequests, "p")["status"]["failedAttempts"].AsInt();
  EXPECT_GE(attempts, 1);
  EXPECT_TRUE(kube::ConditionIs(cluster.Get(api::kPods, "p"), "PodBound", "False"));
  cluster.AddNode("late", 4);
  cluster.Settle(std::chrono::minutes(2));
  EXPECT_EQ(cluster.Get(api::kPods, "p")["spec"]["nodeName"].AsString(), "late");
  EXPECT_TRUE(kube::ConditionIs(cluster.Get(api::kPods, "p"), "PodBound", "True"));
  EXPECT_EQ(Phase("p"), "Succeeded");
}

TEST_F(BinderTest, SharedGpuWaitsForItsReservation) {
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  EXPECT_EQ(Reservations(), 1);
  EXPECT_EQ(Phase("p"), "");
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle();
  const json::Value pod = cluster.Get(api::kPods, "p");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_EQ(kube::Label(pod, "runai-gpu-group"), "g1");
  const json::Value map = cluster.Get(api::kConfigMaps, "p-x-shared-gpu-0");
  EXPECT_EQ(map["data"]["GPU_PORTION"].AsString(), "0.50");
  const json::Value environment = cluster.Get(api::kConfigMaps, "p-x-shared-gpu-0-evar");
  EXPECT_EQ(environment["data"]["NVIDIA_VISIBLE_DEVICES"].AsString(), "GPU-1");
}

TEST_F(BinderTest, ReservationIsReleasedWithItsLastUser) {
  for (const char* name : {"a", "b"}) {
    AddSharingPod(name);
    Request(name, kHalf);
  }
  cluster.Settle(std::chrono::seconds(1));
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle();
  EXPECT_EQ(Reservations(), 1);
  ASSERT_TRUE(cluster.client().Delete(api::kPods, {"default", "a"}, {.grace_period_seconds = 0}));
  cluster.Settle();
  EXPECT_EQ(Reservations(), 1);
  ASSERT_TRUE(cluster.client().Delete(api::kPods, {"default", "b"}, {.grace_period_seconds = 0}));
  cluster.Settle();
  EXPECT_EQ(Reservations(), 0);
}

TEST_F(BinderTest, ReservationThatNeverReportsIsGivenUp) {
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(38));
  EXPECT_EQ(Phase("p"), "");
  EXPECT_EQ(Reservations(), 1);
  cluster.Settle(std::chrono::seconds(5));
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_EQ(Reservations(), 0);
  EXPECT_FALSE(cluster.Get(api::kPods, "p")["metadata"]["labels"].Has("runai-gpu-group"));
}

TEST_F(BinderTest, FractionWithoutGroupIsDiscardedAndNotCalledBound) {
  AddSharingPod("p");
  Request("p", "selectedNode: n1, receivedResourceType: Fraction");
  cluster.Settle();
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "p"));
  EXPECT_TRUE(cluster.EventsOf("Pod", "p").empty());
}

TEST(BinderOutcomeTest, BackOffDoublesAndIsKept) {
  const auto next = [](int attempts) {
    return NextStatus(
        Doc(fmt::format("{{spec: {{backoffLimit: 4}}, status: {{phase: Failed, reason: e,"
                        " failedAttempts: {}}}}}",
                        attempts)),
        Outcome::Failure("e"));
  };
  EXPECT_EQ(next(2).retry, std::chrono::seconds(4));
  EXPECT_EQ(next(2).patch["status"]["failedAttempts"].AsInt(), 3);
  EXPECT_EQ(next(4).retry, std::nullopt);
  EXPECT_TRUE(next(4).patch.IsNull());
}

TEST(BinderPluginsTest, Configuration) {
  EXPECT_EQ(PluginOrder(DefaultPluginConfigs()),
            (std::vector<std::string>{"volumebinding", "dynamicresources", "gpusharing"}));
  const auto merged =
      MergePluginConfigs(R"({"gpusharing":{"priority":900},"volumebinding":{"enabled":false}})");
  ASSERT_TRUE(merged);
  EXPECT_EQ(PluginOrder(*merged), (std::vector<std::string>{"gpusharing", "dynamicresources"}));
  TestCluster cluster;
  for (const char* bad : {R"({"other":{}})", R"({"gpusharing":{"arguments":{}}})",
                          R"({"hamicore":{"enabled":true,"priority":500}})"}) {
    const auto configs = MergePluginConfigs(bad);
    ASSERT_TRUE(configs) << bad;
    EXPECT_FALSE(AddToManager(*cluster.manager, {.plugins = *configs})) << bad;
  }
  EXPECT_FALSE(MergePluginConfigs("{"));
}

}  // namespace
}  // namespace coppice::services::binder
