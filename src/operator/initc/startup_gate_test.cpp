#include "operator/initc/startup_gate.h"

#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/executor/stepper.h"
#include "operator/runtime/labels.h"
#include "server/api_server.h"

namespace coppice::operators::initc {
namespace {

class StartupGateTest : public ::testing::Test {
 protected:
  StartupGateTest() {
    server_ = *server::ApiServer::Make({.clock = &stepper_.clock(), .seed = 1});
    client_ = server_->NewClient(stepper_);
    manager_ = kube::Manager::Make(*client_, stepper_);
  }
  ~StartupGateTest() override { manager_->Stop(); }

  void AddPod(const std::string& name, const std::string& clique, const std::string& gang,
              const std::string& node = "") {
    json::Value pod = json::Value::Object({{"apiVersion", "v1"}, {"kind", "Pod"}});
    json::Value& metadata = pod.Mutable("metadata");
    metadata.Set("name", name).Set("namespace", "default");
    metadata.Mutable("labels").Set(labels::kPodClique, clique).Set(labels::kPodGang, gang);
    pod.Mutable("spec")
        .Mutable("containers")
        .Append(json::Value::Object({{"name", "c"}, {"image", "i"}}));
    if (!node.empty()) pod.Mutable("spec").Set("nodeName", node);
    ASSERT_TRUE(client_->Create(api::kPods, pod));
    stepper_.RunUntilIdle();
  }
  void SetReady(const std::string& name, bool ready) {
    const json::Value condition =
        json::Value::Object({{"type", "Ready"}, {"status", ready ? "True" : "False"}});
    const json::Value status =
        json::Value::Object({{"conditions", json::Value::Array({condition})}});
    ASSERT_TRUE(client_->Patch(api::kPods, {"default", name}, kube::PatchType::kMerge,
                               json::Value::Object({{"status", status}}),
                               {.subresource = "status"}));
    stepper_.RunUntilIdle();
  }

  kube::Stepper stepper_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Manager> manager_;
};

TEST_F(StartupGateTest, OpensWhenEnoughOfEachCliqueAreReadyAndStaysOpen) {
  StartupGate gate(*manager_, "default", "g", {{"a", 2}, {"b", 1}});
  manager_->Start();
  AddPod("a1", "a", "g");
  AddPod("a2", "a", "g");
  AddPod("b1", "b", "g");
  SetReady("a1", true);
  SetReady("b1", true);
  EXPECT_FALSE(gate.Open());
  EXPECT_EQ(gate.Missing(), "a: 1 of 2 ready");
  SetReady("a1", false);
  SetReady("a2", true);
  EXPECT_FALSE(gate.Open());
  SetReady("a1", true);
  EXPECT_TRUE(gate.Open());
  SetReady("a1", false);
  EXPECT_TRUE(gate.Open());
}

TEST_F(StartupGateTest, ADeletedPodNoLongerCounts) {
  StartupGate gate(*manager_, "default", "g", {{"a", 2}});
  manager_->Start();
  AddPod("a1", "a", "g");
  SetReady("a1", true);
  ASSERT_TRUE(client_->Delete(api::kPods, {"default", "a1"}, {.grace_period_seconds = 0}));
  AddPod("a2", "a", "g");
  SetReady("a2", true);
  EXPECT_FALSE(gate.Open());
}

// Old pods may be ready until the end of their grace period.
TEST_F(StartupGateTest, ATerminatingPodDoesNotCount) {
  AddPod("a1", "a", "g", "node");  // Without a node it would be deleted immediately.
  SetReady("a1", true);
  ASSERT_TRUE(client_->Delete(api::kPods, {"default", "a1"}, {.grace_period_seconds = 30}));
  StartupGate gate(*manager_, "default", "g", {{"a", 1}});
  manager_->Start();
  stepper_.RunUntilIdle();
  ASSERT_TRUE(client_->Get(api::kPods, {"default", "a1"}));
  EXPECT_FALSE(gate.Open());
  AddPod("a2", "a", "g");
  SetReady("a2", true);
  EXPECT_TRUE(gate.Open());
}

// A clique whose name is a prefix of another's is a different clique, and pods of other gangs do
// not count.
TEST_F(StartupGateTest, CliquesAndGangsAreToldApartExactly) {
  StartupGate gate(*manager_, "default", "g", {{"a", 1}});
  manager_->Start();
  AddPod("a-b-1", "a-b", "g");
  AddPod("a-1", "a", "other");
  SetReady("a-b-1", true);
  SetReady("a-1", true);
  EXPECT_FALSE(gate.Open());
}

TEST_F(StartupGateTest, NothingToWaitForIsOpen) {
  StartupGate gate(*manager_, "default", "g", {});
  EXPECT_TRUE(gate.Open());
}

}  // namespace
}  // namespace coppice::operators::initc
