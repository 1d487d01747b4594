// Processes that cannot continue exit, so that they are restarted.
#include <gtest/gtest.h>

#include <fstream>

#include "api/well_known.h"
#include "cli/run/processes_testing.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

class Endings : public testing::Test {
 protected:
  Endings()
      : server_({"up", "--in-memory", "--listen", "127.0.0.1:0", "--write-kubeconfig",
                 folder_ / "kubeconfig", "--nodes", "0", "--components", "none"},
                folder_ / "server.log") {
    EXPECT_TRUE(server_.WaitForLine("Kubernetes API at"));
  }

  std::string Log() {
    std::ifstream file(folder_ / "run.log");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
  Process server_;
};

TEST_F(Endings, ASchedulerThatTheServerDoesNotKnowEndsWithAnError) {
  std::ifstream file(folder_ / "kubeconfig");
  std::stringstream text;
  text << file.rdbuf();
  Value kubeconfig = *json::ParseYaml(text.str());
  kubeconfig.Mutable("users").MutableAt(0).Set("user", Value::Object({{"token", "expired"}}));
  std::ofstream(folder_ / "stranger") << json::WriteYaml(kubeconfig);
  Process scheduler({"run", "scheduler", "--kubeconfig", folder_ / "stranger"},
                    folder_ / "run.log");
  EXPECT_EQ(scheduler.Wait(), 1);
  EXPECT_NE(Log().find("401"), std::string::npos) << Log();
}

TEST_F(Endings, WhoeverLosesTheLeaseEndsWithAnError) {
  ClusterWatch cluster(folder_ / "kubeconfig", {api::kLeases});
  Process queues({"run", "queues", "--leader-elect", "--lease-namespace", "default", "--kubeconfig",
                  folder_ / "kubeconfig"},
                 folder_ / "run.log");
  ASSERT_TRUE(cluster.Wait([&] { return !cluster.List(api::kLeases).empty(); })) << Log();
  const Value lease = cluster.List(api::kLeases).front();
  const auto taken = cluster.client().Patch(
      api::kLeases, kube::KeyOf(lease), kube::PatchType::kMerge,
      *json::ParseYaml("{spec: {holderIdentity: somebody-else, leaseDurationSeconds: 3600}}"));
  ASSERT_TRUE(taken) << taken.error().ToString();
  EXPECT_EQ(queues.Wait(), 1);
  EXPECT_NE(Log().find("lost the lease"), std::string::npos) << Log();
}

}  // namespace
}  // namespace coppice::cli
