#include "stack/stack.h"

#include <gtest/gtest.h>

#include "api/well_known.h"
#include "backends/model/scheduler_signs.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "sim/pod_lifecycle.h"

namespace coppice::stack {
namespace {

using namespace std::chrono_literals;
using json::Value;

class SimulatedNodes : public ::testing::Test {
 protected:
  void SetUp() override {
    StackOptions options;
    options.shape.levels = *sim::ParseTopology("2");
    options.shape.pools = {{.count = 4, .gpus = 8}};
    options.components = {"nodes"};
    auto made = Stack::Make(stepper_, std::move(options));
    ASSERT_TRUE(made.ok()) << made.error().message();
    stack_ = *std::move(made);
    ASSERT_TRUE(stack_->Start().ok());
    stepper_.RunUntilIdle();
  }

  kube::Client& client() { return stack_->client(); }

  void CreateBoundPod(std::string_view name, std::string_view node) {
    Value pod = kube::NewObject(api::kPods, "default", name);
    pod.Set("spec", Value::Object({{"containers",
                                    Value::Array({Value::Object({{"name", "c"}, {"image", "i"}})})},
                                   {"nodeName", node}}));
    const auto created = client().Create(api::kPods, pod);
    ASSERT_TRUE(created.ok()) << created.error().message();
  }

  Value Pod(std::string_view name) {
    const auto pod = client().Get(api::kPods, {"default", std::string(name)});
    return pod ? *pod : Value();
  }

  void Annotate(const api::Resource& resource, const api::ObjectKey& key, std::string_view name,
                Value value) {
    const Value patch = Value::Object(
        {{"metadata", Value::Object({{"annotations", Value::Object({{name, value}})}})}});
    ASSERT_TRUE(client().Patch(resource, key, kube::PatchType::kMerge, patch).ok());
  }

  kube::Stepper stepper_;
  std::unique_ptr<Stack> stack_;
};

// `coppice doctor` looks for a scheduler by what it shows.
TEST_F(SimulatedNodes, ASchedulerThatRunsHoldsALease) {
  const auto seen = [&] {
    return backends::SchedulerSigns::Read(client(), stepper_.Now()).Seen("kai", "kai-scheduler");
  };
  EXPECT_EQ(seen(), false);
  ASSERT_TRUE(stack_->StartWith(*ParseComponents("all")));
  stepper_.RunFor(24h);
  EXPECT_EQ(seen(), true);
  ASSERT_TRUE(stack_->StartWith(*ParseComponents("nodes")));
  EXPECT_EQ(seen(), false);
}

TEST(StorageClass, IsTheDefaultWhereVolumesAreMade) {
  const auto classes = [](std::vector<std::string> components) {
    kube::Stepper stepper;
    StackOptions options;
    options.components = std::move(components);
    const auto stack = Stack::Make(stepper, std::move(options));
    return (*stack)->client().List(api::kStorageClasses)->items.size();
  };
  EXPECT_EQ(classes({"nodes", "workloads"}), 1u);
  EXPECT_EQ(classes({"nodes"}), 0u);
}

TEST_F(SimulatedNodes, AreThereFromTheStartWithTheirTopology) {
  EXPECT_EQ(client().List(api::kNodes)->items.size(), 4u);
  EXPECT_TRUE(client().Get(api::kQueues, {"", "default-queue"}).ok());
  EXPECT_TRUE(client().Get(api::kClusterTopologyBindings, {"", "default"}).ok());
}

TEST_F(SimulatedNodes, RunAndTerminateBoundPods) {
  CreateBoundPod("a", "node-0");
  stepper_.RunFor(1s);
  EXPECT_EQ(Pod("a")["status"]["phase"].AsString(), "Running");
  EXPECT_TRUE(kube::ConditionIs(Pod("a"), "Ready", "True"));
  ASSERT_TRUE(client().Delete(api::kPods, {"default", "a"}).ok());
  stepper_.RunFor(1s);
  EXPECT_TRUE(Pod("a").IsNull());
}

TEST_F(SimulatedNodes, FindNothingToTellOfAPodThatRuns) {
  CreateBoundPod("a", "node-0");
  stepper_.RunFor(1s);
  const sim::PodStep step =
      sim::AdvancePod(Pod("a"), stepper_.Now(), [](auto&, auto&) { return true; });
  EXPECT_FALSE(step.status) << "what the server stores is what was written";
}

TEST_F(SimulatedNodes, FailAndReturn) {
  CreateBoundPod("a", "node-0");
  stepper_.RunFor(1s);
  Annotate(api::kNodes, {"", "node-0"}, "sim.coppice.dev/fail", "true");
  stepper_.RunFor(1s);
  EXPECT_FALSE(kube::ConditionIs(Pod("a"), "Ready", "True"));
  EXPECT_TRUE(kube::ConditionIs(*client().Get(api::kNodes, {"", "node-0"}), "Ready", "Unknown"));
  stepper_.RunFor(10min);
  EXPECT_TRUE(kube::IsDeleting(Pod("a"))) << "evicted, but hanging on the dead node";
  Annotate(api::kNodes, {"", "node-0"}, "sim.coppice.dev/fail", nullptr);
  stepper_.RunFor(1s);
  EXPECT_TRUE(Pod("a").IsNull());
  EXPECT_TRUE(kube::ConditionIs(*client().Get(api::kNodes, {"", "node-0"}), "Ready", "True"));
}

TEST_F(SimulatedNodes, PodsOfADeletedNodeGo) {
  CreateBoundPod("a", "node-1");
  stepper_.RunFor(1s);
  ASSERT_TRUE(client().Delete(api::kNodes, {"", "node-1"}).ok());
  stepper_.RunFor(1s);
  EXPECT_TRUE(Pod("a").IsNull());
}

}  // namespace
}  // namespace coppice::stack
