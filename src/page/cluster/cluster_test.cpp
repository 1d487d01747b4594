#include "page/cluster/cluster.h"

#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "page/cluster/objects_client.h"
#include "page/detail/detail.h"
#include "server/api_server.h"

namespace coppice::page {
namespace {

using namespace std::chrono_literals;

std::string StateText(Board& board, const std::vector<std::string>& sections) {
  std::string out;
  for (const http::Bytes& part : board.State(sections).parts) out += *part;
  return out;
}

// A plain Kubernetes API server: nothing of ours is installed.
class PageCluster : public testing::Test {
 protected:
  PageCluster() {
    auto made = server::ApiServer::Make({.clock = &stepper_.clock(), .seed = 1});
    COPPICE_CHECK(made.ok());
    server_ = *std::move(made);
    client_ = server_->NewClient(stepper_);
    Create(api::kNamespaces, "{metadata: {name: other}}");
    Create(api::kNodes, R"yaml(
metadata: {name: n1, labels: {topology.kubernetes.io/zone: z1}}
status:
  capacity: {cpu: "8", memory: 64Gi, pods: "110", nvidia.com/gpu: "4"}
  allocatable: {cpu: "8", memory: 64Gi, pods: "110", nvidia.com/gpu: "4"}
  conditions: [{type: Ready, status: "True"}]
)yaml");
  }

  void Create(const api::Resource& resource, std::string_view yaml) {
    const auto created = client_->Create(resource, *json::ParseYaml(yaml));
    EXPECT_TRUE(created) << created.error().ToString();
  }
  void CreatePod(std::string_view ns, std::string_view name, int gpus, std::string_view node = "") {
    Create(api::kPods,
           fmt::format(R"yaml(
metadata: {{name: {}, namespace: {}}}
spec:
  {}
  containers: [{{name: main, image: x, resources: {{limits: {{nvidia.com/gpu: {}}}}}}}]
)yaml",
                       name, ns, node.empty() ? "" : fmt::format("nodeName: {}", node), gpus));
  }

  kube::Stepper stepper_{1};
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<kube::Client> client_;
  Board board_;
};

TEST_F(PageCluster, ExplainsPodsOfTheDefaultScheduler) {
  CreatePod("default", "runs", 3, "n1");
  CreatePod("default", "waits", 2);
  Cluster cluster(*client_, stepper_, board_, {});
  ASSERT_TRUE(cluster.Start());
  stepper_.RunFor(5s);
  const std::string nodes = StateText(board_, {"nodes"});
  EXPECT_NE(nodes.find(R"("path":["z1"])"), std::string::npos) << nodes;
  EXPECT_NE(nodes.find(R"("free":1)"), std::string::npos) << nodes;
  const std::string rows = StateText(board_, {"workloads"});
  EXPECT_NE(rows.find(R"("id":"default/Pod/waits")"), std::string::npos) << rows;
  EXPECT_NE(rows.find(R"("verdict":)"), std::string::npos) << "the engine has not said: " << rows;
  EXPECT_NE(rows.find(R"("change":)"), std::string::npos) << rows;
}

TEST_F(PageCluster, PublishesChangesWithinASecond) {
  Cluster cluster(*client_, stepper_, board_, {});
  ASSERT_TRUE(cluster.Start());
  stepper_.RunFor(3s);
  const int64_t before = board_.version();
  CreatePod("default", "new", 1);
  stepper_.RunFor(1s);
  EXPECT_GT(board_.version(), before);
  EXPECT_NE(StateText(board_, {"overview"}).find("new, Waiting"), std::string::npos)
      << "the history has it";
}

TEST_F(PageCluster, ReadsOneWorkload) {
  CreatePod("default", "waits", 9);
  Cluster cluster(*client_, stepper_, board_, {});
  ASSERT_TRUE(cluster.Start());
  stepper_.RunFor(3s);
  const auto detail = ReadDetail(cluster, {"default", "Pod", "waits"});
  ASSERT_TRUE(detail) << detail.error().message();
  EXPECT_EQ((*detail)["pods"].size(), 1U);
  EXPECT_NE((*detail)["yaml"].AsString().find("nvidia.com/gpu"), std::string_view::npos);
  EXPECT_EQ((*detail)["steps"].At(0)["text"].AsString(), "created");
  EXPECT_TRUE(ReadDetail(cluster, {"default", "Job", "no"}).Is(base::ErrorCode::kNotFound));
}

// May list namespaced objects of "default", and nothing else.
class NarrowClient final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  base::Result<kube::ObjectList> List(const kube::Resource& resource,
                                      const kube::ListOptions& options = {}) override {
    if (options.ns == "default") return InterceptedClient::List(resource, options);
    return base::Error(base::ErrorCode::kForbidden, "no");
  }
};

TEST_F(PageCluster, ShowsWhatTheUserMaySee) {
  CreatePod("default", "mine", 1);
  CreatePod("other", "theirs", 1);
  NarrowClient narrow(*client_);
  Cluster cluster(narrow, stepper_, board_, {.ns = "default"});
  ASSERT_TRUE(cluster.Start());
  stepper_.RunFor(5s);
  const std::string rows = StateText(board_, {"workloads", "nodes"});
  EXPECT_NE(rows.find("default/Pod/mine"), std::string::npos) << rows;
  EXPECT_EQ(rows.find("theirs"), std::string::npos) << rows;
  EXPECT_NE(rows.find(R"("nodes":[])"), std::string::npos) << rows;
  EXPECT_EQ(rows.find("verdict"), std::string::npos) << "the engine knows no nodes: " << rows;
  const std::string overview = StateText(board_, {"overview"});
  EXPECT_NE(overview.find("Only namespace default is shown"), std::string::npos) << overview;
  EXPECT_NE(overview.find("you may not list it: nodes"), std::string::npos) << overview;
}

TEST_F(PageCluster, WritesNothing) {
  VisibleClient client(*client_, stepper_, "");
  const auto made = client.Create(api::kPods, kube::NewObject(api::kPods, "default", "a"));
  EXPECT_TRUE(made.Is(base::ErrorCode::kMethodNotAllowed));
}

TEST(ObjectsClient, ServesASnapshot) {
  kube::Stepper stepper(1);
  services::scheduler::Snapshot snapshot;
  snapshot.objects = *json::ParseYaml(R"yaml(
nodes: [{metadata: {name: n1}, status: {allocatable: {nvidia.com/gpu: "2"}}}]
pods: [{metadata: {name: p, namespace: x}}]
)yaml");
  ObjectsClient client(ObjectsOf(snapshot), stepper);
  EXPECT_EQ(client.List(api::kPods, {.ns = "y"})->items.size(), 0U);
  EXPECT_EQ(kube::Kind(*client.Get(api::kPods, {"x", "p"})), "Pod");
  EXPECT_TRUE(client.Get(api::kPods, {"x", "q"}).Is(base::ErrorCode::kNotFound));
  EXPECT_TRUE(client.List(api::kJobs).Is(base::ErrorCode::kNotFound));
  EXPECT_TRUE(client.GetPath("/api/v1").ok());
  EXPECT_TRUE(client.GetPath("/apis/batch/v1").Is(base::ErrorCode::kNotFound));
}

}  // namespace
}  // namespace coppice::page
