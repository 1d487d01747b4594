// `coppice up` besides its API: the components' metrics and log level.
#include <gmock/gmock.h>

#include "api/well_known.h"
#include "base/files.h"
#include "base/own_image.h"
#include "cli/run/processes_testing.h"
#include "http/client/client.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

TEST(Up, MetricsAndLogLevelAreAtTheAdminAddress) {
  const TemporaryFolder folder;
  Process up({"up", "--listen", "127.0.0.1:0", "--write-kubeconfig", folder / "kubeconfig",
              "--nodes", "1"},
             folder / "log");
  const std::string url = up.RestOfLine("Metrics and log level of the components: ");
  ASSERT_THAT(url, HasSubstr("http://127.0.0.1:"));
  const auto transport = http::ClientTransport::Make({.proxy_url = "none"});
  ASSERT_TRUE(transport) << transport.error().message();
  const auto ask = [&](const char* method, const char* path, const char* body = "") {
    http::ClientRequest request;
    request.method = method;
    request.url = url + path;
    request.body = body;
    const auto response = (*transport)->Send(request).response;
    return response ? std::string(response->BodyView()) : response.error().message();
  };
  const kube::ThreadExecutor executor;  // For its clock.
  const base::Time end = executor.Now() + std::chrono::seconds(20);
  std::string metrics;
  while (metrics.find("kai_queue_info{") == std::string::npos && executor.Now() < end) {
    metrics = ask("GET", "/metrics");
  }
  EXPECT_THAT(metrics, HasSubstr("kai_queue_info{"));
  EXPECT_THAT(metrics, HasSubstr("workqueue_adds_total{"));
  ask("PUT", "/loglevel", "debug");
  EXPECT_THAT(ask("GET", "/loglevel"), HasSubstr("debug"));
}

constexpr char kOrdered[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: ordered, namespace: default, labels: {kai.scheduler/queue: default-queue}}
spec:
  replicas: 1
  template:
    cliqueStartupType: CliqueStartupTypeInOrder
    cliques:
    - {name: a, spec: {roleName: a, replicas: 1, podSpec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}
    - {name: b, spec: {roleName: b, replicas: 1, podSpec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}
)";

constexpr char kHalf[] = R"(
apiVersion: v1
kind: Pod
metadata: {name: half, namespace: default, annotations: {gpu-fraction: "0.5"}}
spec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}
)";

constexpr char kDeployment[] = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]
)";

// It cannot be preempted, so it needs a quota; it names no queue.
TEST(Up, AGpuDeploymentStartsWithoutAnyQueueOfItsOwn) {
  const TemporaryFolder folder;
  Process up({"up", "--listen", "127.0.0.1:0", "--write-kubeconfig", folder / "kubeconfig",
              "--nodes", "1"},
             folder / "log");
  ASSERT_TRUE(up.WaitForLine("Ctrl-C"));
  ClusterWatch cluster(folder / "kubeconfig", {api::kPods});
  ASSERT_TRUE(cluster.client().Create(api::kDeployments, *json::ParseYaml(kDeployment)));
  EXPECT_TRUE(cluster.Wait([&] {
    int running = 0;
    for (const json::Value& pod : cluster.List(api::kPods)) {
      running += pod["status"]["phase"].AsString() == "Running" ? 1 : 0;
    }
    return running == 2;
  }));
}

// By default sets get our own init container, and pods may share GPUs.
TEST(Up, ComponentsAreConfiguredByFileAndFlags) {
  const TemporaryFolder folder;
  ASSERT_TRUE(base::WriteSecretFile(folder / "operator.yaml",
                                    "{compatibility: grove, scheduler: {profiles: [{name: "
                                    "default-scheduler}, {name: kai-scheduler}]}}"));
  ASSERT_TRUE(base::WriteSecretFile(folder / "scheduler.yaml", "actions: allocate\n"));
  Process up({"up", "--listen", "127.0.0.1:0", "--write-kubeconfig", folder / "kubeconfig",
              "--operator-config", folder / "operator.yaml", "--scheduler-conf",
              folder / "scheduler.yaml", "--gpu-sharing-enabled=false", "--nodes", "1"},
             folder / "log");
  ASSERT_TRUE(up.WaitForLine("Ctrl-C"));
  ClusterWatch cluster(folder / "kubeconfig", {api::kPods});
  const auto refused = cluster.client().Create(api::kPods, *json::ParseYaml(kHalf));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("GPU sharing is disabled"));
  const auto created = cluster.client().Create(api::kPodCliqueSets, *json::ParseYaml(kOrdered));
  ASSERT_TRUE(created) << created.error().message();
  json::Value init;
  ASSERT_TRUE(cluster.Wait([&] {
    int running = 0;
    for (const json::Value& pod : cluster.List(api::kPods)) {
      if (pod["spec"].Has("initContainers")) init = pod["spec"]["initContainers"].At(0);
      running += pod["status"]["phase"].AsString() == "Running" ? 1 : 0;
    }
    return running == 2;
  }));
  EXPECT_EQ(init["args"], *json::ParseYaml("['--podcliques=ordered-0-a:1']"));
  EXPECT_EQ(init["image"].AsString(), base::kOwnImage);
}

}  // namespace
}  // namespace coppice::cli
