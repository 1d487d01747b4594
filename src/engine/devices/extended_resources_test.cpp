#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"

// Devices for pods that request an extended resource: the binder creates a claim for each.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

class ExtendedResources : public ::testing::Test {
 protected:
  ExtendedResources() : engine(Configuration::Defaults()) {
    engine.PutQueue(TopQueue("team"));
    engine.PutDeviceClass({"gpu.example.com", {}, "example.com/gpu"});
    engine.PutNode(GpuNode("a", 0, {}));
    ResourceSliceSpec slice;
    slice.name = slice.pool = slice.node_name = "a";
    slice.driver = "gpu.example.com";
    slice.devices = {{"gpu0", {}, {}, {}}};
    engine.PutResourceSlice(slice);
  }

  static ClaimAllocation TheDevice() { return {{{"r", "gpu.example.com", "a", "gpu0"}}, {}}; }

  // The claim that the binder created for the pod with this uid.
  static ResourceClaimSpec ClaimOf(const std::string& pod) {
    ResourceClaimSpec claim;
    claim.namespace_name = "ns";
    claim.name = pod + "-claim";
    claim.owner_pod_uid = pod;
    claim.for_extended_resources = true;
    claim.requests = {{"r", "gpu.example.com", DeviceAllocationMode::kExactCount, 1, {}, {}}};
    return claim;
  }

  PodSpec PutGroupWithPod(const std::string& name, int64_t priority = 50) {
    PodGroupSpec group;
    group.name = name;
    group.namespace_name = "ns";
    group.queue = "team";
    group.priority = priority;
    group.min_members = 1;
    engine.PutPodGroup(group);
    PodSpec pod;
    pod.uid = pod.name = pod.pod_group = name;
    auto shape = std::make_shared<PodShape>(*GpuShape(0));
    shape->containers[0].requests["example.com/gpu"] = *base::Quantity::Parse("1");
    pod.shape = shape;
    engine.PutPod(pod);
    return pod;
  }

  // The pods that this cycle binds, and whether each decision includes its claim's devices.
  std::string Cycle() {
    std::string text;
    for (const BindDecision& bind : engine.RunCycle(kNow).binds) {
      text += bind.pod.name + (bind.Extras().extended_claim_allocation ? " with " : " without ");
    }
    return text;
  }

  Engine engine;
};

// The pod is gone but its claim still exists: the device is not free.
TEST_F(ExtendedResources, ADeviceIsFreeWhenItsClaimIs) {
  ResourceClaimSpec held = ClaimOf("gone");
  held.allocation = TheDevice();
  engine.PutResourceClaim(held);
  PutGroupWithPod("p");
  EXPECT_EQ(Cycle(), "");
  engine.RemoveResourceClaim("ns", held.name);
  EXPECT_EQ(Cycle(), "p with ");
}

// Leftovers of an abandoned bind are not used.
TEST_F(ExtendedResources, ABindBringsItsDevicesWhateverIsLeftOfTheLast) {
  engine.PutResourceClaim(ClaimOf("p"));
  PutGroupWithPod("p");
  EXPECT_EQ(Cycle(), "p with ");
}

// The victim's device was planned for the other pod, and stays the victim's until its claim is
// deallocated, which may be long after the victim is gone.
TEST_F(ExtendedResources, AVictimsDeviceIsTakenOnlyOnceItIsFree) {
  PodSpec victim = PutGroupWithPod("victim");
  victim.status = TaskStatus::kRunning;
  victim.node = "a";
  victim.extended_claim_allocation = TheDevice();
  engine.PutPod(victim);
  ResourceClaimSpec held = ClaimOf("victim");
  held.allocation = TheDevice();
  held.reserved_for = {{"victim", "victim"}};
  engine.PutResourceClaim(held);
  PutGroupWithPod("high", 75);
  EXPECT_EQ(engine.RunCycle(kNow).evictions.size(), 1u);
  EXPECT_EQ(Cycle(), "") << "the victim is on its way out";
  engine.RemovePod("victim");
  EXPECT_EQ(Cycle(), "") << "its claim has the device";
  engine.RemoveResourceClaim("ns", held.name);
  EXPECT_EQ(Cycle(), "high with ");
}

// Its claim has not been seen yet: only what it was bound with is known.
TEST_F(ExtendedResources, AVictimKeepsWhatItWasBoundWithUntilItIsGone) {
  PodSpec victim = PutGroupWithPod("victim");
  victim.status = TaskStatus::kRunning;
  victim.node = "a";
  victim.extended_claim_allocation = TheDevice();
  engine.PutPod(victim);
  PutGroupWithPod("high", 75);
  EXPECT_EQ(engine.RunCycle(kNow).evictions.size(), 1u);
  EXPECT_EQ(Cycle(), "");
  EXPECT_EQ(Cycle(), "");
  engine.RemovePod("victim");
  EXPECT_EQ(Cycle(), "high with ");
}

}  // namespace
}  // namespace coppice::engine
