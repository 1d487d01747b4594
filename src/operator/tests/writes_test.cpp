// What the operator and its backend write for a new set: nothing twice, and related changes
// together.
#include <gtest/gtest.h>

#include "api/grove/crds.h"
#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/client/counting_client.h"
#include "kube/executor/priority.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "operator/operator.h"
#include "server/api_server.h"

namespace coppice::operators {
namespace {

using json::Value;
using kube::Verb;

constexpr char kCountedSet[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: s, namespace: default}
spec:
  replicas: 4
  template:
    cliques:
    - {name: w, spec: {roleName: w, replicas: 3, minAvailable: 3, podSpec: {containers: [{name: c, image: i}]}}}
)";

// No one binds the pods, so all writes are the operator's and the backend's.
struct WritesTest : testing::TestWithParam<uint64_t> {
  kube::Stepper stepper{GetParam()};
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<kube::Client> client;
  std::unique_ptr<kube::CountingClient> counting;
  std::unique_ptr<kube::Manager> manager;

  void SetUp() override {
    server = *server::ApiServer::Make({.clock = &stepper.clock(), .seed = GetParam() + 1});
    for (const Value& crd : api::grove::Crds()) ASSERT_TRUE(server->InstallCrd(crd).ok());
    client = server->NewClient(stepper);
    counting = std::make_unique<kube::CountingClient>(*client);
    manager = kube::Manager::Make(*counting, stepper);
    Config config;
    config.backends.profiles = {{.name = "default-scheduler", .backend = "default"}};
    ASSERT_TRUE(AddToManager(*manager, config).ok());
    manager->Start();
    stepper.RunFor(std::chrono::seconds(1));
  }
  void TearDown() override {
    manager->Stop();
    stepper.RunUntilIdle();
  }

  void Create() {
    const auto created = client->Create(api::kPodCliqueSets, *json::ParseYaml(kCountedSet));
    ASSERT_TRUE(created.ok()) << created.error().ToString();
  }
  size_t Gated() {
    size_t gated = 0;
    const auto pods = client->List(api::kPods);
    for (const Value& pod : pods->items) {
      gated += !pod["spec"]["schedulingGates"].empty();
    }
    return gated;
  }
};

TEST_P(WritesTest, NothingTwice) {
  Create();
  stepper.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(Gated(), 0u);
  EXPECT_EQ(counting->Count(Verb::kCreate, "pods"), 12);
  EXPECT_EQ(counting->Count(Verb::kPatch, "pods"), 12);
  EXPECT_EQ(counting->Count(Verb::kCreate, "podgangs.scheduler.grove.io"), 4);
  EXPECT_EQ(counting->Count(Verb::kPatch, "podgangs.scheduler.grove.io"), 0);
  // That its pods exist, and that its scheduler has it.
  EXPECT_EQ(counting->Count(Verb::kPatch, "podgangs.scheduler.grove.io/status"), 4)
      << counting->ToString();
  EXPECT_EQ(counting->Count(Verb::kPatch, "podcliques.grove.io/status"), 4) << counting->ToString();
}

// Whatever else is urgent in the process, and for how long.
TEST_P(WritesTest, StatusAndEventsComeThoughOtherThingsAreUrgent) {
  const kube::PriorityScope urgent(manager->runtime().priorities, kube::Priority::kHighest);
  Create();
  stepper.RunFor(std::chrono::seconds(5));
  EXPECT_EQ(Gated(), 0u);
  EXPECT_EQ(counting->Count(Verb::kPatch, "podcliques.grove.io/status"), 0);
  EXPECT_EQ(counting->Count(Verb::kCreate, "events"), 0);
  stepper.RunFor(std::chrono::seconds(10));
  EXPECT_EQ(counting->Count(Verb::kPatch, "podcliques.grove.io/status"), 4);
  EXPECT_GT(counting->Count(Verb::kCreate, "events"), 12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WritesTest, testing::Range<uint64_t>(0, 8));

}  // namespace
}  // namespace coppice::operators
