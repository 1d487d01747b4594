#include "services/scheduler/service.h"

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
#include "services/scheduler/shards.h"
#include "services/scheduler/snapshot.h"
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
  auto server = PluginServer::Start(0, service);
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
    EXPECT_EQ(shards->size(), 2);
    for (const Options& shard : *shards) {
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

}  // namespace
}  // namespace coppice::services::scheduler
