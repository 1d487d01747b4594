// The operator and one backend with separate managers, as in two processes: the backend may crash
// at any moment, and nothing is lost.
#include <gtest/gtest.h>

#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "api/well_known.h"
#include "backends/sync/component.h"
#include "json/yaml/yaml.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "operator/operator.h"
#include "server/api_server.h"

namespace coppice::operators {
namespace {

using json::Value;

constexpr char kKaiSet[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: s, namespace: default}
spec:
  replicas: 3
  template:
    cliques:
    - {name: w, spec: {roleName: w, replicas: 2, minAvailable: 2, podSpec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}
)";

class Apart {
 public:
  explicit Apart(uint64_t seed) : stepper_(seed) {
    server_ = *server::ApiServer::Make({.clock = &stepper_.clock(), .seed = seed + 1});
    for (const auto& crds : {api::grove::Crds(), api::kai::Crds()}) {
      for (const Value& crd : crds) EXPECT_TRUE(server_->InstallCrd(crd).ok());
    }
    server_->StartControllers(stepper_);
    client_ = server_->NewClient(stepper_);
    config_.backends = backends::AllBackends();
    operator_client_ = server_->NewClient(stepper_);
    operator_ = kube::Manager::Make(*operator_client_, stepper_);
    std::shared_ptr<backends::Backends> shared =
        *backends::MakeBackends(*operator_, config_.backends);
    EXPECT_TRUE(AddToManager(*operator_, config_, shared).ok());
    operator_->Start();
    RunFor(std::chrono::seconds(1));
  }
  ~Apart() {
    StopBackend();
    operator_->Stop();
    stepper_.RunUntilIdle();
  }

  void StartBackend() {
    backend_client_ = server_->NewClient(stepper_);
    backend_ = kube::Manager::Make(*backend_client_, stepper_);
    backends_ = *backends::MakeBackends(*backend_, config_.backends);
    EXPECT_TRUE(backends::AddToManager(*backend_, *backends_, {.only = {"kai"}}).ok());
    backend_->Start();
  }
  void StopBackend() {
    if (backend_) backend_->Stop();
    backend_.reset();
    backends_.reset();
  }

  void Create(const char* yaml) {
    const auto created = client_->Create(api::kPodCliqueSets, *json::ParseYaml(yaml));
    EXPECT_TRUE(created.ok()) << created.error().ToString();
  }
  void Step(int steps) {
    for (int i = 0; i < steps && stepper_.Step(); ++i) continue;
  }
  void RunFor(base::Duration duration) { stepper_.RunFor(duration); }

  std::vector<Value> List(const api::Resource& resource) { return client_->List(resource)->items; }
  size_t Gated() {
    size_t gated = 0;
    for (const Value& pod : List(api::kPods)) gated += !pod["spec"]["schedulingGates"].empty();
    return gated;
  }

 private:
  kube::Stepper stepper_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<kube::Client> client_, operator_client_, backend_client_;
  Config config_;
  std::unique_ptr<kube::Manager> operator_;
  std::unique_ptr<backends::Backends> backends_;
  std::unique_ptr<kube::Manager> backend_;
};

TEST(BackendApart, WithoutItGangsWaitWithTheirGatesClosed) {
  Apart apart(1);
  apart.Create(kKaiSet);
  apart.RunFor(std::chrono::minutes(5));
  EXPECT_EQ(apart.List(api::kPodGangs).size(), 3u);
  EXPECT_EQ(apart.Gated(), 6u);
  EXPECT_TRUE(apart.List(api::kPodGroups).empty());
  apart.StartBackend();
  apart.RunFor(std::chrono::minutes(1));
  EXPECT_EQ(apart.List(api::kPodGroups).size(), 3u);
  EXPECT_EQ(apart.Gated(), 0u);
}

TEST(BackendApart, DyingAtAnyMomentLosesNothing) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Apart apart(seed);
    apart.StartBackend();
    apart.Create(kKaiSet);
    for (int death = 0; death < 5; ++death) {
      apart.Step(static_cast<int>(20 + 37 * seed + 61 * death));
      apart.StopBackend();
      apart.Step(50);
      apart.StartBackend();
    }
    apart.RunFor(std::chrono::minutes(2));
    EXPECT_EQ(apart.List(api::kPods).size(), 6u);
    EXPECT_EQ(apart.List(api::kPodGroups).size(), 3u);
    EXPECT_EQ(apart.Gated(), 0u);
  }
}

}  // namespace
}  // namespace coppice::operators
