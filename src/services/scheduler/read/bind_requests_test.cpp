#include "services/scheduler/read/bind_requests.h"

#include <gtest/gtest.h>

#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

using engine::BindDecision;
using engine::ReceivedType;

BindDecision Decision() { return {.pod = {"ns", "p", "u1"}, .node = "n1"}; }

json::Value SpecOf(const BindDecision& decision) {
  return WriteBindRequest(decision, "", "")["spec"];
}

TEST(WriteBindRequest, IsNamedOwnedAndLabelled) {
  EXPECT_EQ(WriteBindRequest(Decision(), "pool", "a")["metadata"],
            Doc("{name: p, namespace: ns, labels: {selected-node: n1, pool: a}, ownerReferences: "
                "[{apiVersion: v1, kind: Pod, name: p, uid: u1}]}"));
  EXPECT_EQ(WriteBindRequest(Decision(), "pool", "")["metadata"]["labels"],
            Doc("{selected-node: n1}"));
}

TEST(WriteBindRequest, WholeFractionalAndMig) {
  BindDecision decision = Decision();
  decision.gpu_count = 2;
  decision.gpu_portion = 1;
  EXPECT_EQ(SpecOf(decision), Doc("{podName: p, selectedNode: n1, receivedResourceType: Regular, "
                                  "receivedGPU: {count: 2, portion: '1.00'}}"));
  decision.received = ReceivedType::kFraction;
  decision.gpu_portion = 0.333;
  decision.gpu_groups = {"g1", "g2"};
  EXPECT_EQ(SpecOf(decision),
            Doc("{podName: p, selectedNode: n1, receivedResourceType: Fraction, receivedGPU: "
                "{count: 2, portion: '0.33'}, selectedGPUGroups: [g1, g2]}"));
  decision = Decision();
  decision.received = ReceivedType::kMigInstance;
  EXPECT_EQ(SpecOf(decision), Doc("{podName: p, selectedNode: n1, receivedResourceType: "
                                  "MigInstance, receivedGPU: {portion: '0.00'}}"));
}

TEST(WriteBindRequest, ClaimsAndZones) {
  engine::BindExtras extras;
  extras.claim_allocations["gpu"].devices = {{"r", "gpu.example.com", "n1", "gpu-0"}};
  extras.extended_claim_allocation.emplace().devices = {{"e", "gpu.example.com", "n1", "gpu-1"}};
  extras.extended_claim_requests = {{.name = "e", .device_class = "big", .count = 2}};
  extras.extended_claim_mappings = {{"main", "e", "example.com/gpu"}};
  extras.numa_zones = {{"node-0", {{"nvidia.com/gpu", base::Quantity::FromUnits(2)}}}};
  BindDecision decision = Decision();
  decision.extras = std::make_shared<const engine::BindExtras>(extras);
  const json::Value request = WriteBindRequest(decision, "", "");
  const json::Value& spec = request["spec"];
  EXPECT_EQ(spec["resourceClaimAllocations"],
            Doc("[{name: gpu, allocation: {devices: {results: [{request: r, driver: "
                "gpu.example.com, pool: n1, device: gpu-0}]}}}]"));
  EXPECT_EQ(spec["extendedResourceClaimAllocation"],
            Doc("{allocation: {devices: {results: [{request: e, driver: gpu.example.com, pool: n1, "
                "device: gpu-1}]}}, deviceRequests: [{name: e, exactly: {deviceClassName: big, "
                "allocationMode: ExactCount, count: 2}}], containerMappings: [{containerName: "
                "main, requestName: e, resourceName: example.com/gpu}]}"));
  EXPECT_EQ(spec["predictedNUMAZones"], Doc("[{zone: node-0, amount: {nvidia.com/gpu: '2'}}]"));
  EXPECT_FALSE(spec.Has("backoffLimit"));
  const engine::BindRequestSpec back = ReadBindRequest(request);
  EXPECT_EQ(back.node, "n1");
  EXPECT_EQ(back.claim_allocations, extras.claim_allocations);
  EXPECT_EQ(back.extended_claim_allocation, extras.extended_claim_allocation);
  ASSERT_EQ(back.numa_placement.size(), 1u);
  EXPECT_EQ(back.numa_placement[0].zone, "node-0");
}

TEST(BindRequest, HasFailedWhenNoAttemptIsLeft) {
  EXPECT_FALSE(IsFailedBindRequest(Doc("{status: {phase: Pending}}")));
  EXPECT_TRUE(IsFailedBindRequest(Doc("{status: {phase: Failed}}")));
  EXPECT_FALSE(IsFailedBindRequest(
      Doc("{spec: {backoffLimit: 3}, status: {phase: Failed, failedAttempts: 2}}")));
  EXPECT_TRUE(IsFailedBindRequest(
      Doc("{spec: {backoffLimit: 3}, status: {phase: Failed, failedAttempts: 3}}")));
}

TEST(BindRequest, IsOfOnePodOfTheName) {
  const json::Value request = WriteBindRequest(Decision(), "", "");
  EXPECT_TRUE(IsBindRequestOf(request, Doc("metadata: {name: p, uid: u1}")));
  EXPECT_FALSE(IsBindRequestOf(request, Doc("metadata: {name: p, uid: u2}")));
}

}  // namespace
}  // namespace coppice::services::scheduler
