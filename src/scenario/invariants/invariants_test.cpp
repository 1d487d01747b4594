// Every invariant notices when it is broken.
#include "scenario/invariants/invariants.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "scenario/shorthand.h"
#include "stack/stack.h"

namespace coppice::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using json::Value;

class InvariantsTest : public ::testing::Test {
 protected:
  InvariantsTest() {
    stack::StackOptions options;
    options.shape.pools = {{.count = 2, .gpus = 2}};
    stack_ = *stack::Stack::Make(stepper_, std::move(options));
    EXPECT_TRUE(stack_->Start());
  }

  kube::Client& client() { return stack_->client(); }

  // Objects as scenarios write them; a pod's node in its spec binds it.
  void Create(std::string_view step) {
    const std::vector<Value> objects = *ExpandObjects(*json::ParseYaml(step));
    for (const Value& object : objects) {
      const auto resource =
          api::FindResource(object["kind"].AsString(), object["apiVersion"].AsString());
      const auto created = client().Create(*resource, object);
      ASSERT_TRUE(created) << created.error().ToString();
    }
  }
  void Patch(std::string_view pod, std::string_view patch,
             kube::PatchType type = kube::PatchType::kMerge) {
    const auto patched =
        client().Patch(api::kPods, {"default", std::string(pod)}, type, *json::ParseYaml(patch));
    ASSERT_TRUE(patched) << patched.error().ToString();
  }

  Violations Check(Invariants::Scope scope = {}) {
    return *invariants_.Check(client(), stepper_.Now(), scope);
  }

  kube::Stepper stepper_;
  std::unique_ptr<stack::Stack> stack_;
  Invariants invariants_;
};

TEST_F(InvariantsTest, NothingIsWrongWithAHealthyCluster) {
  Create("pods: [{name: p, count: 2, gpus: 1, spec: {nodeName: node-0}}]");
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(InvariantsTest, ANodeHoldsNoMoreThanItHas) {
  Create("pods: [{name: p, count: 3, gpus: 1, spec: {nodeName: node-0}}]");
  EXPECT_THAT(Check(), ElementsAre("node node-0 holds 3 of nvidia.com/gpu, more than 2"));
}

TEST_F(InvariantsTest, ASharedGpuHoldsNoMoreThanItself) {
  Create(
      "pods: [{name: p, count: 2, annotations: {gpu-fraction: '0.6'}, labels: {runai-gpu-group: "
      "g}, spec: {nodeName: node-0}}]");
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("GPU group g holds 1.2 of a GPU")));
}

TEST_F(InvariantsTest, ADeviceHasOneClaim) {
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(client().Create(
        api::kResourceClaims,
        *json::ParseYaml(fmt::format(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {}, "
            "namespace: default}}, spec: {{devices: {{requests: [{{name: r, exactly: "
            "{{deviceClassName: c}}}}]}}}}}}",
            name))));
    const auto patched = client().Patch(
        api::kResourceClaims, {"default", name}, kube::PatchType::kMerge,
        *json::ParseYaml("{status: {allocation: {devices: {results: [{request: r, driver: d, "
                         "pool: p, device: x}]}}}}"),
        {.subresource = "status"});
    ASSERT_TRUE(patched) << patched.error().ToString();
  }
  EXPECT_THAT(Check(), ElementsAre("device d/p/x is allocated to claims default/a and default/b"));
}

TEST_F(InvariantsTest, NoBindBreaksALimitOfItsQueueOrOfOneAbove) {
  Create(
      "{queues: [{name: top, limit: 1}, {name: q, parent: top, limit: 5, spec: {resources: {cpu: "
      "{limit: 1500}}}}], groups: [{name: g, queue: q}], pods: [{name: p, count: 2, gpus: 1, cpu: "
      "'1', group: g, spec: {nodeName: node-0}}]}");
  EXPECT_THAT(Check(), ElementsAre("queue q uses 2000 of cpu, more than its limit of 1500",
                                   "queue top uses 2 of gpu, more than its limit of 1"));
}

TEST_F(InvariantsTest, ALimitThatIsLoweredAfterwardsIsNoFaultOfTheBind) {
  Create(
      "{queues: [{name: q}], groups: [{name: g, queue: q}], pods: [{name: p, gpus: 1, group: g, "
      "spec: {nodeName: node-0}}]}");
  EXPECT_THAT(Check(), IsEmpty());
  ASSERT_TRUE(client().Patch(api::kQueues, {"", "q"}, kube::PatchType::kMerge,
                             *json::ParseYaml("{spec: {resources: {gpu: {limit: 0}}}}")));
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(InvariantsTest, NoPodIsBoundTwice) {
  Create("pods: [{name: p, gpus: 1, spec: {nodeName: node-0}}]");
  EXPECT_THAT(Check(), IsEmpty());
  // The server itself refuses to move a pod: what another one shows instead must be noticed.
  class Elsewhere final : public kube::InterceptedClient {
   public:
    using InterceptedClient::InterceptedClient;
    base::Result<kube::ObjectList> List(const kube::Resource& resource,
                                        const kube::ListOptions& options) override {
      COPPICE_ASSIGN(kube::ObjectList list, InterceptedClient::List(resource, options));
      if (resource == api::kPods) {
        for (Value& pod : list.items) pod.Mutable("spec").Set("nodeName", "node-1");
      }
      return list;
    }
  } elsewhere(client());
  EXPECT_THAT(*invariants_.Check(elsewhere, stepper_.Now(), {}),
              ElementsAre("pod default/p moved from node-0 to node-1"));
}

TEST_F(InvariantsTest, AGangIsBoundWithItsMinimum) {
  Create(
      "{groups: [{name: g, spec: {minMember: 2}}], pods: [{name: p, gpus: 1, group: g, spec: "
      "{nodeName: node-0}}]}");
  EXPECT_THAT(Check(), ElementsAre("pods of gang g are bound without its minimum"));
  Create("pods: [{name: r, gpus: 1, group: g, spec: {nodeName: node-0}}]");
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(InvariantsTest, EverySubGroupThatIsRequiredHasItsMinimum) {
  Create(
      "{groups: [{name: g, spec: {minSubGroup: 2, subGroups: [{name: a, minMember: 1}, {name: b, "
      "minMember: 1}]}}], pods: [{name: p, count: 2, gpus: 1, group: g, subGroup: a, spec: "
      "{nodeName: node-0}}]}");
  EXPECT_THAT(Check(), ElementsAre("pods of gang g are bound without its minimum"));
}

TEST_F(InvariantsTest, ACrashMayCutAGangInTwoForATime) {
  Create(
      "{groups: [{name: g, spec: {minMember: 2}}], pods: [{name: p, gpus: 1, group: g, spec: "
      "{nodeName: node-0}}]}");
  EXPECT_THAT(Check({.gang_grace = 60s}), IsEmpty());
  stepper_.RunFor(61s);
  EXPECT_THAT(Check({.gang_grace = 60s}),
              ElementsAre("pods of gang g are bound without its minimum"));
}

TEST_F(InvariantsTest, ForeignGatesStay) {
  Create("pods: [{name: p, spec: {schedulingGates: [{name: example.com/theirs}]}}]");
  EXPECT_THAT(Check(), IsEmpty());
  Patch("p", "[{op: remove, path: /spec/schedulingGates}]", kube::PatchType::kJson);
  EXPECT_THAT(Check(),
              ElementsAre("pod default/p lost the gate example.com/theirs, which is not ours"));
}

TEST_F(InvariantsTest, WhoeverPutAGateMayTakeItOff) {
  Create("pods: [{name: p, spec: {schedulingGates: [{name: example.com/theirs}]}}]");
  EXPECT_THAT(Check(), IsEmpty());
  Patch("p", "[{op: remove, path: /spec/schedulingGates}]", kube::PatchType::kJson);
  ASSERT_TRUE(invariants_.Accept(client(), stepper_.Now()));
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(InvariantsTest, ReservationsGoWithTheirLastUser) {
  Create(
      "pods: [{name: r, ns: kai-resource-reservation, gpus: 1, labels: {runai-gpu-group: g}, spec: "
      "{nodeName: node-0}}]");
  EXPECT_THAT(Check(), IsEmpty()) << "the binder may need a while";
  stepper_.RunFor(61s);
  EXPECT_THAT(Check(), ElementsAre("reservation r holds GPU group g for nobody"));
}

TEST_F(InvariantsTest, TheCacheShowsWhatTheApiShows) {
  const auto manager = kube::Manager::Make(client(), stepper_);
  for (const api::Resource& resource :
       {api::kPods, api::kNodes, api::kQueues, api::kPodGroups, api::kBindRequests}) {
    manager->runtime().cache.InformerFor(resource);
  }
  manager->Start();
  stepper_.RunFor(1s);
  EXPECT_THAT(Check({.at_rest = manager.get()}), IsEmpty());
  Create("pods: [{name: unseen, gpus: 1}]");
  EXPECT_THAT(Check({.at_rest = manager.get()}),
              ::testing::Contains(HasSubstr("the cache shows Pod default/unseen as of never")));
  manager->Stop();
}

}  // namespace
}  // namespace coppice::scenario
