#include <fmt/format.h>
#include <gmock/gmock.h>

#include "json/yaml/yaml.h"
#include "kube/client/intercepted_client.h"
#include "services/binder/fixture_testing.h"

namespace coppice::services::binder {
namespace {

using ::testing::HasSubstr;

constexpr const char* kAllocation =
    "{devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: gpu-0}]}}";

class ClaimsFixture : public BinderFixture {
 protected:
  void AddClaim(std::string_view name) {
    cluster.Create(api::kResourceClaims, fmt::format(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: {}, namespace: default}}
spec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu.example.com}}}}]}}}}
)",
                                                     name));
  }
  void AddPodWith(std::string_view name, std::string_view claim) {
    cluster.Create(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, namespace: default}}
spec:
  schedulerName: kai-scheduler
  resourceClaims: [{{name: own, resourceClaimName: {}}}]
  containers: [{{name: c, image: i, resources: {{claims: [{{name: own}}]}}}}]
)",
                                           name, claim));
  }
  void RequestWith(std::string_view pod, std::string_view allocation) {
    Request(pod, fmt::format("selectedNode: n1, receivedResourceType: Regular, "
                             "resourceClaimAllocations: [{{name: own, allocation: {}}}]",
                             allocation));
  }
  json::Value ClaimStatus(std::string_view name) {
    return cluster.Get(api::kResourceClaims, name)["status"];
  }
  std::vector<json::Value> Claims() { return cluster.List(api::kResourceClaims, "default"); }
};

class DevicesTest : public ClaimsFixture {
 protected:
  DevicesTest() { Start(); }
};

TEST_F(DevicesTest, AllocatesAndReserves) {
  AddClaim("claim");
  AddPodWith("p", "claim");
  RequestWith("p", kAllocation);
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "n1");
  const json::Value status = ClaimStatus("claim");
  EXPECT_EQ(status["allocation"]["devices"]["results"].At(0)["device"].AsString(), "gpu-0");
  EXPECT_EQ(status["reservedFor"].At(0)["name"].AsString(), "p");
}

TEST_F(DevicesTest, TheFirstAllocationStands) {
  AddClaim("claim");
  for (const char* name : {"a", "b"}) AddPodWith(name, "claim");
  RequestWith("a", kAllocation);
  cluster.Settle();
  RequestWith("b",
              "{devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: "
              "gpu-1}]}}");
  cluster.Settle();
  const json::Value status = ClaimStatus("claim");
  EXPECT_EQ(status["allocation"]["devices"]["results"].At(0)["device"].AsString(), "gpu-0");
  EXPECT_EQ(status["reservedFor"].size(), 2);
}

// As if somebody else had written the claim in between.
class ConflictsOnce final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  bool met = false;

 protected:
  base::Status Before(const kube::Call& call) override {
    if (met || !call.writes() || call.resource != api::kResourceClaims) return {};
    met = true;
    return base::Error(base::ErrorCode::kConflict, "the object has been modified");
  }
};

class DevicesConflict : public ClaimsFixture {};

TEST_F(DevicesConflict, IsTriedAgain) {
  cluster.AddNode("n1", 4);
  ConflictsOnce client(cluster.client());
  auto manager = kube::Manager::Make(client, cluster.stepper);
  ASSERT_TRUE(AddToManager(*manager, {}));
  manager->Start();
  AddClaim("claim");
  AddPodWith("p", "claim");
  RequestWith("p", kAllocation);
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_TRUE(client.met);
  EXPECT_EQ(NodeOf("p"), "n1") << Reason("p");
  EXPECT_EQ(ClaimStatus("claim")["reservedFor"].size(), 1);
  manager->Stop();
}

TEST_F(DevicesTest, NoAllocationIsAnError) {
  AddClaim("claim");
  AddPodWith("p", "claim");
  RequestWith("p", "{}");
  cluster.Settle();
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_THAT(Reason("p"), HasSubstr("plugin dynamicresources failed in PreBind"));
}

using ExtendedTest = DevicesTest;

std::string ExtendedSpec() {
  return "selectedNode: n1, receivedResourceType: Regular, extendedResourceClaimAllocation: "
         "{allocation: {devices: {results: [{request: container-0-request-0, driver: "
         "gpu.example.com, pool: n1, device: gpu-0}]}}, deviceRequests: [{name: "
         "container-0-request-0, exactly: {deviceClassName: gpu.example.com}}], containerMappings: "
         "[{containerName: main, requestName: container-0-request-0, resourceName: "
         "nvidia.com/gpu}]}";
}

TEST_F(ExtendedTest, ClaimIsMadeOnceAndMapped) {
  const json::Value pod = cluster.AddPod("p", "q", 1);
  Request("p", ExtendedSpec());
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "n1");
  ASSERT_EQ(Claims().size(), 1);
  const json::Value claim = Claims().front();
  EXPECT_TRUE(kube::Name(claim).starts_with("p-extended-resources-"));
  EXPECT_EQ(kube::Annotation(claim, "resource.kubernetes.io/extended-resource-claim"), "true");
  EXPECT_TRUE(kube::HasFinalizer(claim, "resource.kubernetes.io/delete-protection"));
  EXPECT_EQ(kube::ControllerOwner(claim)["uid"].AsString(), kube::Uid(pod));
  EXPECT_EQ(claim["status"]["reservedFor"].At(0)["name"].AsString(), "p");
  const json::Value mapped = cluster.Get(api::kPods, "p")["status"]["extendedResourceClaimStatus"];
  EXPECT_EQ(mapped["resourceClaimName"].AsString(), kube::Name(claim));
  EXPECT_EQ(mapped["requestMappings"].At(0)["containerName"].AsString(), "main");
}

// As a binder leaves it that died between its claim and the binding.
json::Value EarlierClaim(const json::Value& pod) {
  json::Value earlier = Doc(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: p-extended-resources-x
  namespace: default
  annotations: {resource.kubernetes.io/extended-resource-claim: "true"}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.example.com}}]}}
)");
  earlier.Mutable("metadata")
      .Set("ownerReferences", json::Value::Array({kube::MakeControllerReference(pod)}));
  return earlier;
}

TEST_F(ExtendedTest, TheClaimOfAnEarlierTryIsTaken) {
  const json::Value pod = cluster.AddPod("p", "q", 1);
  ASSERT_TRUE(cluster.client().Create(api::kResourceClaims, EarlierClaim(pod)));
  Request("p", ExtendedSpec());
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "n1");
  ASSERT_EQ(Claims().size(), 1);
  EXPECT_EQ(
      cluster.Get(api::kPods, "p")["status"]["extendedResourceClaimStatus"]["resourceClaimName"]
          .AsString(),
      "p-extended-resources-x");
}

// The request's device was counted for the pod, the claim's may be on another node. The scheduler
// asks again, and finds the way free.
TEST_F(ExtendedTest, AClaimWithOtherDevicesGoesAndTheNextTryBinds) {
  const json::Value pod = cluster.AddPod("p", "q", 1);
  const auto created = cluster.client().Create(api::kResourceClaims, EarlierClaim(pod));
  ASSERT_TRUE(created);
  json::Value earlier = *created;
  earlier.Set("status", Doc("{allocation: {devices: {results: [{request: r, driver: "
                            "gpu.example.com, pool: n2, device: gpu-7}]}}}"));
  ASSERT_TRUE(cluster.client().Update(api::kResourceClaims, earlier, {.subresource = "status"}));
  Request("p", ExtendedSpec());
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "");
  EXPECT_THAT(Reason("p"), HasSubstr("has other devices than the request"));
  EXPECT_TRUE(Claims().empty());
  ASSERT_TRUE(cluster.client().Delete(api::kBindRequests, {"default", "p"}));
  Request("p", ExtendedSpec());
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "n1");
  ASSERT_EQ(Claims().size(), 1);
  const json::Value given = Claims().front()["status"]["allocation"]["devices"]["results"].At(0);
  EXPECT_EQ(given["device"].AsString(), "gpu-0");
}

class RefusesBindings final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  int claims_made = 0;

 protected:
  base::Status Before(const kube::Call& call) override {
    claims_made += call.verb == kube::Verb::kCreate && call.resource == api::kResourceClaims;
    if (call.subresource == "binding") return base::InvalidArgument("not today");
    return {};
  }
};

class DevicesRollback : public ClaimsFixture {};

// A claim that another pod uses keeps its devices, one that nobody uses does not.
TEST_F(DevicesRollback, DevicesAreGivenBackWhenTheBindFails) {
  cluster.AddNode("n1", 4);
  AddClaim("own");
  AddClaim("shared");
  AddPodWith("p", "own");
  AddPodWith("q", "shared");
  const json::Value held = *json::ParseYaml(
      fmt::format("{{status: {{allocation: {}, reservedFor: [{{resource: pods, name: other, uid: "
                  "u1}}]}}}}",
                  kAllocation));
  ASSERT_TRUE(cluster.client().Patch(api::kResourceClaims, {"default", "shared"},
                                     kube::PatchType::kMerge, held, {.subresource = "status"}));
  RefusesBindings client(cluster.client());
  auto manager = kube::Manager::Make(client, cluster.stepper);
  ASSERT_TRUE(AddToManager(*manager, {}));
  manager->Start();
  for (const char* pod : {"p", "q"}) RequestWith(pod, kAllocation);
  cluster.Settle(std::chrono::minutes(2));
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_EQ(Phase("q"), "Failed");
  EXPECT_FALSE(ClaimStatus("own").Has("allocation"));
  EXPECT_TRUE(ClaimStatus("shared").Has("allocation"));
  ASSERT_EQ(ClaimStatus("shared")["reservedFor"].size(), 1);
  EXPECT_EQ(ClaimStatus("shared")["reservedFor"].At(0)["name"].AsString(), "other");
  manager->Stop();
}

class ExtendedRollback : public BinderFixture {};

TEST_F(ExtendedRollback, ClaimGoesWhenTheBindFails) {
  cluster.AddNode("n1", 4);
  RefusesBindings client(cluster.client());
  auto manager = kube::Manager::Make(client, cluster.stepper);
  ASSERT_TRUE(AddToManager(*manager, {}));
  manager->Start();
  cluster.AddPod("p", "q", 1);
  Request("p", ExtendedSpec());
  cluster.Settle(std::chrono::minutes(2));
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_THAT(Reason("p"), HasSubstr("not today"));
  EXPECT_GE(client.claims_made, 1);
  for (const json::Value& claim : cluster.List(api::kResourceClaims, "default")) {
    EXPECT_TRUE(kube::IsDeleting(claim));
  }
  EXPECT_FALSE(cluster.Get(api::kPods, "p")["status"].Has("extendedResourceClaimStatus"));
  manager->Stop();
}

}  // namespace
}  // namespace coppice::services::binder
