#include <gmock/gmock.h>

#include "services/binder/fixture_testing.h"

namespace coppice::services::binder {
namespace {

using ::testing::HasSubstr;

constexpr const char* kAllocation =
    "{devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: gpu-0}]}}";

class DevicesTest : public BinderFixture {
 protected:
  DevicesTest() { Start(); }

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

TEST_F(DevicesTest, NoAllocationIsAnError) {
  AddClaim("claim");
  AddPodWith("p", "claim");
  RequestWith("p", "{}");
  cluster.Settle();
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_THAT(Reason("p"), HasSubstr("plugin dynamicresources failed in PreBind"));
}

class ExtendedTest : public DevicesTest {
 protected:
  static std::string Spec(std::string_view node) {
    return fmt::format(
        "selectedNode: {}, receivedResourceType: Regular, extendedResourceClaimAllocation: "
        "{{allocation: {}, deviceRequests: [{{name: container-0-request-0, exactly: "
        "{{deviceClassName: gpu.example.com}}}}], containerMappings: [{{containerName: main, "
        "requestName: container-0-request-0, resourceName: nvidia.com/gpu}}]}}",
        node,
        "{devices: {results: [{request: container-0-request-0, driver: gpu.example.com, pool: n1, "
        "device: gpu-0}]}}");
  }
};

TEST_F(ExtendedTest, ClaimIsMadeOnceAndMapped) {
  const json::Value pod = cluster.AddPod("p", "q", 1);
  Request("p", Spec("n1"));
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

TEST_F(ExtendedTest, ClaimGoesWhenTheBindFails) {
  cluster.AddNode("n2", 1);
  AddSharingPod("p");
  // The reservation never reports, so the bind fails after the claim could have been made.
  Request("p", Spec("n1") + ", selectedGPUGroups: [g1]");
  ASSERT_TRUE(cluster.client().Patch(api::kBindRequests, {"default", "p"}, kube::PatchType::kMerge,
                                     Doc("spec: {receivedResourceType: Fraction}")));
  cluster.Settle(std::chrono::seconds(1));
  EXPECT_EQ(Claims().size(), 1u);
  cluster.Settle(std::chrono::minutes(2));
  EXPECT_NE(Phase("p"), "Succeeded");
  for (const json::Value& claim : Claims()) EXPECT_TRUE(kube::IsDeleting(claim));
  EXPECT_FALSE(cluster.Get(api::kPods, "p")["status"].Has("extendedResourceClaimStatus"));
}

}  // namespace
}  // namespace coppice::services::binder
