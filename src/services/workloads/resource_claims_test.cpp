#include "services/workloads/resource_claims.h"

#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::workloads {
namespace {

constexpr const char* kClaim = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: default, finalizers: [resource.kubernetes.io/delete-protection]}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
)";

class ClaimRelease : public ::testing::Test {
 protected:
  void SetUp() override {
    AddResourceClaimController(*cluster.manager);
    cluster.Start();
    cluster.Create(api::kResourceClaims, kClaim);
    cluster.Settle();
  }
  bool IsProtected() {
    return !cluster.Get(api::kResourceClaims, "c")["metadata"]["finalizers"].empty();
  }

  TestCluster cluster{1};
};

// Who made it is about to allocate it, and has protected it first.
TEST_F(ClaimRelease, AClaimThatWasJustMadeStaysProtected) {
  EXPECT_TRUE(IsProtected());
  ASSERT_TRUE(cluster.client().Delete(api::kResourceClaims, {"default", "c"}));
  cluster.Settle();
  EXPECT_FALSE(cluster.Exists(api::kResourceClaims, "c"));
}

TEST_F(ClaimRelease, AClaimWhosePodIsGoneGivesItsDevicesBack) {
  ASSERT_TRUE(cluster.client().Patch(
      api::kResourceClaims, {"default", "c"}, kube::PatchType::kMerge,
      Doc("status: {reservedFor: [{resource: pods, name: gone, uid: u}], allocation: {devices: "
          "{results: [{request: gpu, driver: d, pool: p, device: x}]}}}"),
      {.subresource = "status"}));
  cluster.Settle();
  const json::Value claim = cluster.Get(api::kResourceClaims, "c");
  EXPECT_FALSE(claim["status"].Has("allocation"));
  EXPECT_FALSE(claim["status"].Has("reservedFor"));
  EXPECT_FALSE(IsProtected());
}

}  // namespace
}  // namespace coppice::services::workloads
