#include "services/queues/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/metrics.h"
#include "kube/object.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::queues {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class QueuesTest : public ::testing::Test {
 protected:
  void Start(Options options = {}) {
    AddToManager(*cluster.manager, std::move(options));
    cluster.Start();
  }
  void AddGroup(std::string_view name, std::string_view queue, std::string_view usage) {
    cluster.Create(api::kPodGroups,
                   fmt::format("{{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, "
                               "metadata: {{name: {}, namespace: default}}, spec: {{queue: "
                               "{}}}}}",
                               name, queue));
    ASSERT_TRUE(cluster.client().Patch(
        api::kPodGroups, {"default", std::string(name)}, kube::PatchType::kMerge,
        Doc(fmt::format("status: {{resourcesStatus: {{allocated: {{{0}}}, requested: {{{0}}}}}}}",
                        usage)),
        {.subresource = "status"}));
  }
  json::Value Status(std::string_view queue) {
    cluster.Settle();
    return cluster.Get(api::kQueues, queue)["status"];
  }
  std::string Metrics() {
    cluster.Settle();
    return cluster.manager->runtime().metrics.Text();
  }

  TestCluster cluster{1};
};

TEST_F(QueuesTest, ThreeLevelsAddUp) {
  Start();
  cluster.AddQueue("org", "", 10);
  cluster.AddQueue("team", "org", 5);
  cluster.AddQueue("project", "team", 2);
  AddGroup("g", "project", "nvidia.com/gpu: '420', cpu: 100m");
  AddGroup("h", "team", "nvidia.com/gpu: '1', cpu: '0.5'");
  EXPECT_EQ(Status("project")["allocated"]["nvidia.com/gpu"].AsString(), "420");
  EXPECT_EQ(Status("org")["allocated"]["nvidia.com/gpu"].AsString(), "421");
  EXPECT_EQ(Status("org")["allocated"]["cpu"].AsString(), "600m");
  EXPECT_EQ(Status("org")["requested"]["nvidia.com/gpu"].AsString(), "421");
  EXPECT_EQ(Status("org")["childQueues"], Doc("[team]"));
  EXPECT_FALSE(Status("project").Has("childQueues"));
  ASSERT_TRUE(cluster.client().Delete(api::kPodGroups, {"default", "g"}));
  EXPECT_EQ(Status("org")["allocated"]["nvidia.com/gpu"].AsString(), "1");
}

TEST_F(QueuesTest, ChangesThatFollowCloselyAreWrittenOnce) {
  Start();
  cluster.AddQueue("org", "", 10);
  cluster.AddQueue("team", "org", 5);
  const auto version = [&] {
    return std::stoll(cluster.Get(api::kQueues, "team")["metadata"]["resourceVersion"].ToString());
  };
  AddGroup("first", "team", "cpu: '1'");
  cluster.Settle();
  const int64_t before = version();
  for (int i = 0; i < 10; ++i) {
    AddGroup("g" + std::to_string(i), "team", "cpu: '1'");
    cluster.Settle(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(version(), before);
  const int64_t server = std::stoll(cluster.client().List(api::kPodGroups)->resource_version);
  EXPECT_EQ(Status("org")["allocated"]["cpu"].AsString(), "11");
  // One write of the queue, one of its parent.
  EXPECT_EQ(version(), server + 1);
  EXPECT_EQ(std::stoll(cluster.client().List(api::kPodGroups)->resource_version), server + 2);
}

TEST_F(QueuesTest, MovingAQueueMovesItsShare) {
  Start();
  cluster.AddQueue("a", "", 1);
  cluster.AddQueue("b", "", 1);
  cluster.AddQueue("team", "a", 1);
  AddGroup("g", "team", "cpu: '2'");
  EXPECT_EQ(Status("a")["allocated"]["cpu"].AsString(), "2");
  ASSERT_TRUE(cluster.client().Patch(api::kQueues, {"", "team"}, kube::PatchType::kMerge,
                                     Doc("spec: {parentQueue: b}")));
  EXPECT_EQ(Status("b")["allocated"]["cpu"].AsString(), "2");
  EXPECT_FALSE(Status("a")["allocated"].Has("cpu"));
}

TEST_F(QueuesTest, SevenGaugesWithMappedLabels) {
  Start({.metrics_namespace = "m",
         .label_to_metric_label = {{"team", "owner"}, {"region", "where"}},
         .label_to_default_value = {{"region", "nowhere"}}});
  cluster.Create(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q, labels: {team: a}}
spec:
  displayName: Shown
  resources:
    cpu: {quota: 4000, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
    gpu: {quota: 8, limit: -1, overQuotaWeight: 1}
)");
  AddGroup("g", "q", "nvidia.com/gpu: 500m, cpu: '2', memory: 1Ki");
  const std::string text = Metrics();
  for (const char* line : {"m_queue_info", "m_queue_deserved_gpus", "m_queue_quota_cpu_cores",
                           "m_queue_quota_memory_bytes", "m_queue_allocated_gpus",
                           "m_queue_allocated_cpu_cores", "m_queue_allocated_memory_bytes"}) {
    EXPECT_THAT(text, HasSubstr(std::string(line) + "{")) << line;
  }
  EXPECT_THAT(text, HasSubstr(R"(queue_display_name="Shown")"));
  EXPECT_THAT(text, HasSubstr(R"(owner="a")"));
  EXPECT_THAT(text, HasSubstr(R"(where="nowhere")"));
  EXPECT_THAT(text, HasSubstr("} 1024\n"));
  ASSERT_TRUE(cluster.client().Patch(api::kQueues, {"", "q"}, kube::PatchType::kMerge,
                                     Doc("metadata: {labels: {team: b}}")));
  EXPECT_THAT(Metrics(), Not(HasSubstr(R"(owner="a")")));
  ASSERT_TRUE(cluster.client().Delete(api::kQueues, {"", "q"}));
  EXPECT_THAT(Metrics(), Not(HasSubstr("m_queue_info{")));
}

}  // namespace
}  // namespace coppice::services::queues
