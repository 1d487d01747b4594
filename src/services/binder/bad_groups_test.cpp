#include <gmock/gmock.h>

#include "kube/client/intercepted_client.h"
#include "services/binder/fixture_testing.h"

// A pod, a request or a group that makes no sense is in nobody else's way.
namespace coppice::services::binder {
namespace {

using ::testing::HasSubstr;

class BinderBadGroups : public BinderFixture {
 protected:
  void AddRunning(const std::string& name, const std::string& labels) {
    cluster.Create(api::kPods, "{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                                   ", namespace: default, labels: " + labels +
                                   "}, spec: {schedulerName: kai-scheduler, nodeName: n1,"
                                   " containers: [{name: c, image: i}]}}");
    const auto patched =
        cluster.client().Patch(api::kPods, {"default", name}, kube::PatchType::kMerge,
                               Doc("status: {phase: Running}"), {.subresource = "status"});
    ASSERT_TRUE(patched) << patched.error().message();
  }

  void ExpectBound(const std::string& name) {
    cluster.AddPod(name, "q", 1);
    Request(name, kWhole);
    cluster.Settle(std::chrono::seconds(5));
    EXPECT_EQ(NodeOf(name), "n1") << Reason(name);
  }

  // As an API server with KAI's own CRD: any text is a group.
  void AllowAnyGroup() {
    const auto relaxed = cluster.client().Patch(
        api::kCustomResourceDefinitions, {"", "bindrequests.scheduling.run.ai"},
        kube::PatchType::kJson,
        Doc("[{op: replace, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/"
            "properties/selectedGPUGroups/items, value: {type: string}}]"));
    ASSERT_TRUE(relaxed) << relaxed.error().message();
  }

  static std::string Select(const std::string& groups) {
    return "selectedNode: n1, receivedResourceType: Fraction, selectedGPUGroups: " + groups +
           ", receivedGPU: {count: 1, portion: '0.50'}";
  }
};

TEST_F(BinderBadGroups, APodWithAnEmptyGroupLetsOthersBeBound) {
  Start();
  AddRunning("bad", "{runai-gpu-group: ''}");
  AddRunning("worse", "{runai-gpu-group/x: ''}");
  ExpectBound("p");
}

TEST_F(BinderBadGroups, TheSchemaRefusesThem) {
  Start();
  for (const char* groups : {"['']", "['a b']", "['-a']", "[g1, 'runai-gpu-group=x,y']"}) {
    const auto made = cluster.client().Create(
        api::kBindRequests,
        Doc("{apiVersion: scheduling.run.ai/v1alpha2, kind: BindRequest, metadata: {name: bad, "
            "namespace: default}, spec: {podName: p, " +
            Select(groups) + "}}"));
    EXPECT_TRUE(made.Is(base::ErrorCode::kInvalid)) << groups;
  }
}

TEST_F(BinderBadGroups, ARequestWithOneFailsAndLetsOthersBeBound) {
  Start();
  AllowAnyGroup();
  int count = 0;
  for (const char* groups : {"['']", "['a b']", "[g1, '']", "['x,runai-gpu-group']"}) {
    const std::string name = fmt::format("bad-{}", ++count);
    AddSharingPod(name);
    Request(name, Select(groups));
    cluster.Settle(std::chrono::seconds(40));
    EXPECT_EQ(Phase(name), "Failed");
    EXPECT_THAT(Reason(name), HasSubstr("is no GPU group"));
  }
  EXPECT_EQ(Reservations(), 0u);
  ExpectBound("p");
}

// What an earlier release may have left.
TEST_F(BinderBadGroups, AReservationOfNoGroupIsDeletedAtStart) {
  cluster.Create(
      api::kPods,
      "{apiVersion: v1, kind: Pod, metadata: {name: r, namespace: kai-resource-reservation,"
      " labels: {runai-gpu-group: '', app: kai-resource-reservation}},"
      " spec: {nodeName: n1, containers: [{name: c, image: i}]}}");
  Start();
  EXPECT_EQ(Reservations(), 0u);
}

// The pod of somebody whose request no node will ever meet.
TEST_F(BinderBadGroups, APodThatAsksForANodeInVainDelaysOthersOnly) {
  cluster.Create(api::kPods,
                 "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: kai-scale-adjust},"
                 " spec: {containers: [{name: c, image: i}]}}");
  Start();
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(5));
  EXPECT_EQ(Reservations(), 0u) << "the cluster may be growing";
  cluster.Settle(std::chrono::seconds(10));
  ASSERT_EQ(Reservations(), 1u);
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle(std::chrono::seconds(5));
  EXPECT_EQ(NodeOf("p"), "n1") << Reason("p");
}

// The API server cannot tell about one group.
class GroupListFails final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  base::Result<kube::ObjectList> List(const api::Resource& resource,
                                      const kube::ListOptions& options) override {
    if (options.label_selector.find("broken") != std::string::npos) {
      return base::Internal("no answer");
    }
    return InterceptedClient::List(resource, options);
  }
};

TEST_F(BinderBadGroups, AGroupThatCannotBeBroughtInOrderLetsOthersBeBound) {
  GroupListFails client(cluster.client());
  cluster.manager = kube::Manager::Make(client, cluster.stepper);
  Start();
  AddRunning("bad", "{runai-gpu-group: broken}");
  cluster.Settle(std::chrono::seconds(5));
  ExpectBound("p");
  cluster.manager.reset();
}

}  // namespace
}  // namespace coppice::services::binder
