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
