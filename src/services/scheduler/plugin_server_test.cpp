#include "services/scheduler/plugin_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "http/client/client.h"
#include "json/parse.h"
#include "services/scheduler/shards.h"
#include "services/scheduler/snapshot.h"
#include "services/scheduler/tests/fixture_testing.h"

namespace coppice::services::scheduler {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PluginServerTest : public SchedulerFixture {};

TEST_F(PluginServerTest, ServesSnapshotAndJobOrder) {
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

TEST_F(PluginServerTest, AnswersQuestionsAboutTheFuture) {
  cluster.AddNode("n1", 1);
  cluster.AddNode("n2", 1);
  const auto service = [&] {
    cluster.AddPriorityClasses();
    cluster.AddQueue("root", "", -1);
    cluster.AddQueue("a", "root", -1);
    return AddScheduler({.answers = true});
  }();
  cluster.Start();
  cluster.AddPod("one", "a", 1);
  cluster.AddPod("two", "a", 1, "annotations: {kai.scheduler/expected-runtime: 1h}");
  cluster.Settle();
  cluster.RunBoundPods();
  const json::Value waits = cluster.AddPod("waits", "a", 1);
  cluster.Settle();
  auto server = StartPluginServer(0, service);
  ASSERT_TRUE(server) << server.error().ToString();
  auto transport = http::ClientTransport::Make({});
  const auto ask = [&](const std::string& path, const std::string& body = "") {
    return *(*transport)
                ->Send({.method = body.empty() ? "GET" : "POST",
                        .url = fmt::format("http://127.0.0.1:{}{}", (*server)->port(), path),
                        .body = body})
                .response;
  };
  const auto drained = ask("/what-if?drain=n1");
  ASSERT_EQ(drained.status, 200) << drained.BodyView();
  EXPECT_EQ(json::Parse(drained.BodyView())->Find("evicted")->At(0)["node"].AsString(), "n1");
  const auto eta = ask(fmt::format("/eta?group=pg-waits-{}", kube::Uid(waits)));
  ASSERT_EQ(eta.status, 200) << eta.BodyView();
  EXPECT_EQ((*json::Parse(eta.BodyView()))["position"].AsInt(), 1);
  EXPECT_NE((*json::Parse(eta.BodyView()))["p50"].AsString(), "");
  const auto submitted = ask("/what-if?add-nodes=1&like=n1", R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {queue: a, minMember: 1}
)");
  ASSERT_EQ(submitted.status, 200) << submitted.BodyView();
  EXPECT_FALSE((*json::Parse(submitted.BodyView()))["runs"].AsBool());  // It has no pods.
  // Nothing has changed.
  EXPECT_EQ(NodeOf("waits"), "");
  EXPECT_EQ(ask("/what-if?drain=n9").status, 404);
  EXPECT_EQ(ask("/what-if?dain=n1").status, 400);
  EXPECT_THAT(std::string(ask("/what-if?add-nodes=x").BodyView()), HasSubstr("not a number"));
  EXPECT_EQ(ask("/eta?group=nobody").status, 404);
  EXPECT_EQ(ask("/eta").status, 400);
}

// As `coppice run scheduler --plugin-server-port` starts it.
TEST_F(PluginServerTest, LivesAsLongAsTheManager) {
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

}  // namespace
}  // namespace coppice::services::scheduler
