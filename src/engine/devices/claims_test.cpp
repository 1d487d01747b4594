#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"

// Devices through claims: who may share one, where it may be used, and the effect of a trial.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::HasSubstr;

class ClaimsTest : public ::testing::Test {
 protected:
  ClaimsTest() : engine(Configuration::Defaults()) {
    engine.PutQueue(TopQueue("team"));
    engine.PutDeviceClass({"gpu.example.com", {}, ""});
    for (const char* name : {"a", "b"}) {
      engine.PutNode(GpuNode(name, 0, {{"host", name}}));
      ResourceSliceSpec slice;
      slice.name = slice.pool = slice.node_name = name;
      slice.driver = "gpu.example.com";
      slice.devices = {{"gpu0", {}, {}, {}}};
      engine.PutResourceSlice(slice);
    }
  }

  ResourceClaimSpec Claim(const std::string& name, const std::string& queue = "team") {
    ResourceClaimSpec claim;
    claim.namespace_name = "ns";
    claim.name = name;
    claim.labels["kai.scheduler/queue"] = queue;
    claim.requests = {{"r", "gpu.example.com", DeviceAllocationMode::kExactCount, 1, {}, {}}};
    return claim;
  }

  void PutGroup(const std::string& name, int pods, int64_t priority = 50) {
    PodGroupSpec group;
    group.name = name;
    group.namespace_name = "ns";
    group.queue = "team";
    group.priority = priority;
    group.min_members = pods;
    engine.PutPodGroup(group);
  }

  PodSpec Pod(const std::string& name, const std::string& group, const std::string& claim) {
    PodSpec pod;
    pod.uid = pod.name = name;
    pod.shape = GpuShape(0);
    pod.pod_group = group;
    pod.claims = {{"device", claim, false}};
    return pod;
  }

  // The node that a pod with this one claim gets, or its message.
  std::string Outcome(const ResourceClaimSpec& claim) {
    engine.PutResourceClaim(claim);
    PutGroup("g", 1);
    engine.PutPod(Pod("p", "g", claim.name));
    const CycleResult result = engine.RunCycle(kNow);
    if (!result.binds.empty()) return result.binds[0].node;
    for (const auto& group : result.groups) {
      if (!group.pods.empty()) return group.pods[0].message;
    }
    return "";
  }

  Engine engine;
};

TEST(Claims, AreNeededEvenWhereThereIsNothingToClaim) {
  for (const bool available : {true, false}) {
    Configuration configuration = Configuration::Defaults();
    configuration.dra_available = available;
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 4));
    PutGang(engine, "g", {.pods = 0, .min = 1, .shape = GpuShape(0)});
    PodSpec pod;
    pod.uid = pod.name = "p";
    pod.shape = GpuShape(0);
    pod.pod_group = "g";
    pod.claims = {{"device", "missing", false}};
    engine.PutPod(pod);
    const CycleResult result = engine.RunCycle(kNow);
    EXPECT_TRUE(result.binds.empty());
    EXPECT_THAT(result.groups.at(0).pods.at(0).message,
                HasSubstr(available ? "failed to get resource claim ns/missing"
                                    : "it references resource claims <device> while dynamic "
                                      "resource allocation is not available in the cluster"));
  }
}

TEST_F(ClaimsTest, ASharedGpuIsOfOneQueue) {
  EXPECT_EQ(Outcome(Claim("mine")), "a");
  EXPECT_THAT(Outcome(Claim("theirs", "other")), HasSubstr("wrong queue label"));
}

TEST_F(ClaimsTest, ASharedGpuWithoutAQueueIsNobodys) {
  ResourceClaimSpec claim = Claim("c");
  claim.labels.clear();
  EXPECT_THAT(Outcome(claim), HasSubstr("does not have a queue label (kai.scheduler/queue)"));
}

TEST_F(ClaimsTest, AGpuFromATemplateNeedsNoLabel) {
  ResourceClaimSpec claim = Claim("c");
  claim.labels.clear();
  claim.owner_pod_uid = "p";
  EXPECT_EQ(Outcome(claim), "a");
}

TEST_F(ClaimsTest, AClaimHas256ConsumersAtMost) {
  ResourceClaimSpec claim = Claim("c");
  for (int i = 0; i < 255; ++i) claim.reserved_for.push_back({"", "other-" + std::to_string(i)});
  EXPECT_EQ(Outcome(claim), "a");
  claim.name = "full";
  claim.reserved_for.push_back({"", "one-more"});
  EXPECT_THAT(Outcome(claim), HasSubstr("maximum number of consumers (256)"));
}

TEST_F(ClaimsTest, DriversAreToldWhatClassesAndClaimsSay) {
  engine.PutDeviceClass({"gpu.example.com", {}, "", {{"", {}, "class"}}});
  ResourceClaimSpec claim = Claim("c");
  claim.config = {{"", {}, "all"}, {"", {"r"}, "mine"}, {"", {"other"}, "not mine"}};
  engine.PutResourceClaim(claim);
  PutGroup("g", 1);
  engine.PutPod(Pod("p", "g", "c"));
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.binds.size(), 1u);
  std::vector<std::string> told;
  for (const auto& config : result.binds[0].Extras().claim_allocations.at("device").config) {
    told.push_back(config.source + " " + config.configuration);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"FromClass class", "FromClaim all", "FromClaim mine"}));
}

TEST_F(ClaimsTest, ADeviceThatSomebodyLooksAfterIsFree) {
  ResourceClaimSpec monitor = Claim("monitor");
  monitor.allocation = ClaimAllocation{
      {{"r", "gpu.example.com", "a", "gpu0", true}, {"r", "gpu.example.com", "b", "gpu0", true}},
      {}};
  engine.PutResourceClaim(monitor);
  EXPECT_EQ(Outcome(Claim("c")), "a");
}

TEST_F(ClaimsTest, NobodyIsLetInBesideOthers) {
  ResourceClaimSpec claim = Claim("c");
  claim.requests[0].admin_access = true;
  EXPECT_THAT(Outcome(claim), HasSubstr("cannot allocate all DRA claims on node a"));
}

TEST_F(ClaimsTest, AConstraintThatIsNotKnownIsNotMet) {
  ResourceClaimSpec claim = Claim("c");
  claim.constraints = {{{}, ""}};
  EXPECT_THAT(Outcome(claim), HasSubstr("cannot allocate all DRA claims on node a"));
}

TEST_F(ClaimsTest, WhatIsAllocatedIsUsedWhereItIs) {
  ResourceClaimSpec claim = Claim("c");
  claim.allocation =
      ClaimAllocation{{{"r", "gpu.example.com", "b", "gpu0"}},
                      NodeSelector{{{{}, {{"metadata.name", SelectorOperator::kIn, {"b"}}}}}}};
  EXPECT_EQ(Outcome(claim), "b");
}

TEST_F(ClaimsTest, AMissingClaimIsNamed) {
  PutGroup("g", 1);
  engine.PutPod(Pod("p", "g", "nothing"));
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_TRUE(result.binds.empty());
  EXPECT_THAT(result.groups.at(0).pods.at(0).message, HasSubstr("nothing"));
}

// Two claims of one pod are satisfied together or not at all: each node has one device.
TEST_F(ClaimsTest, ClaimsOfAPodAreServedTogether) {
  engine.PutResourceClaim(Claim("first"));
  engine.PutResourceClaim(Claim("second"));
  PutGroup("g", 1);
  PodSpec pod = Pod("p", "g", "first");
  pod.claims.push_back({"other", "second", false});
  engine.PutPod(pod);
  EXPECT_TRUE(engine.RunCycle(kNow).binds.empty());
  EXPECT_FALSE(engine.FindClaim("ns", "first")->allocation);
}

TEST_F(ClaimsTest, TwoPodsOfAClaimShareItsDevice) {
  ResourceClaimSpec shared = Claim("shared");
  shared.allocation = ClaimAllocation{{{"r", "gpu.example.com", "a", "gpu0"}}, {}};
  shared.reserved_for = {{"p0", "p0"}};
  engine.PutResourceClaim(shared);
  PutGroup("g0", 1);
  PodSpec first = Pod("p0", "g0", "shared");
  first.status = TaskStatus::kRunning;
  first.node = "a";
  first.claim_allocations["device"] = *shared.allocation;
  engine.PutPod(first);
  PutGroup("g1", 1);
  PodSpec second = Pod("p1", "g1", "shared");
  second.claim_allocations["device"] = *shared.allocation;
  engine.PutPod(second);
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.binds.size(), 1u);
  EXPECT_EQ(result.binds[0].node, "a");
  // Counted once: the node's only device is used, and none is missing.
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 0);
  EXPECT_EQ(engine.FindNode("a")->used_gpus, 1);
}

// What a cycle allocates stays taken in the next, however late the pod's and the claim's status
// show it.
TEST_F(ClaimsTest, ADeviceIsGivenOnceThoughNobodyHasHeardOfIt) {
  engine.RemoveNode("b");
  for (const char* name : {"p0", "p1"}) {
    engine.PutResourceClaim(Claim(name));
    PutGroup(name, 1);
  }
  engine.PutPod(Pod("p0", "p0", "p0"));
  EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 1u);
  engine.PutPod(Pod("p1", "p1", "p1"));
  EXPECT_TRUE(engine.RunCycle(kNow).binds.empty());
}

TEST_F(ClaimsTest, AnExplanationNamesTheDevicesThatAreLacking) {
  engine.PutDeviceClass({"nic.example.com", {"device.driver == 'nic.example.com'"}, ""});
  engine.PutResourceClaim(Claim("taken"));
  PutGroup("runs", 1);
  engine.PutPod(Pod("runs", "runs", "taken"));
  ASSERT_EQ(engine.RunCycle(kNow).binds.size(), 1u);
  ResourceClaimSpec claim = Claim("large");
  claim.requests.front().count = 2;
  claim.requests.push_back({"n", "nic.example.com", DeviceAllocationMode::kExactCount, 1, {}, {}});
  engine.PutResourceClaim(claim);
  PutGroup("waits", 1);
  engine.PutPod(Pod("waits", "waits", "large"));
  engine.RunCycle(kNow);
  const auto evidence = engine.Explain("ns", "waits", kNow)->evidence;
  EXPECT_EQ(evidence.at("requestedDevices gpu.example.com"), 2);
  EXPECT_EQ(evidence.at("freeDevices gpu.example.com"), 1);
  EXPECT_EQ(evidence.at("requestedDevices nic.example.com"), 1);
  EXPECT_EQ(evidence.at("freeDevices nic.example.com"), 0);
}

// A failed search that tried a victim's device leaves the claims unchanged.
TEST_F(ClaimsTest, WhatATryTookIsGivenBack) {
  ResourceClaimSpec held = Claim("held");
  held.allocation = ClaimAllocation{{{"r", "gpu.example.com", "a", "gpu0"}}, {}};
  held.reserved_for = {{"victim", "victim"}};
  engine.PutResourceClaim(held);
  PutGroup("low", 1);
  PodSpec victim = Pod("victim", "low", "held");
  victim.status = TaskStatus::kRunning;
  victim.node = "a";
  victim.claim_allocations["device"] = *held.allocation;
  engine.PutPod(victim);
  PutGroup("high", 3, 75);  // Three devices are needed, but there are two.
  for (int i = 0; i < 3; ++i) {
    const std::string name = "h" + std::to_string(i);
    engine.PutResourceClaim(Claim(name));
    engine.PutPod(Pod(name, "high", name));
  }
  CycleResult result = engine.RunCycle(kNow);
  EXPECT_TRUE(result.evictions.empty());
  EXPECT_TRUE(result.binds.empty());
  EXPECT_GT(result.actions["preempt"].groups_acted_on, 0);
  EXPECT_EQ(engine.FindClaim("ns", "held")->allocation, held.allocation);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(engine.FindClaim("ns", "h" + std::to_string(i))->allocation) << i;
  }
}

// The first claim may use either device, the second only the one that comes first.
TEST_F(ClaimsTest, TheFirstLeavesTheSecondWhatItNeeds) {
  ResourceSliceSpec slice;
  slice.name = slice.pool = slice.node_name = "a";
  slice.driver = "gpu.example.com";
  slice.devices = {{"gpu0", {}, {}, {}}, {"gpu1", {}, {}, {}}};
  slice.devices[0].attributes["fast"] = true;
  slice.devices[1].attributes["fast"] = false;
  engine.PutResourceSlice(slice);
  engine.RemoveNode("b");
  ResourceClaimSpec fast = Claim("fast");
  fast.requests[0].cel_selectors = {"device.attributes['gpu.example.com'].fast"};
  engine.PutResourceClaim(Claim("any"));
  engine.PutResourceClaim(fast);
  PutGroup("g", 1);
  PodSpec pod = Pod("p", "g", "any");
  pod.claims.push_back({"second", "fast", false});
  engine.PutPod(pod);
  const CycleResult result = engine.RunCycle(kNow);
  ASSERT_EQ(result.binds.size(), 1u);
  const auto& allocations = result.binds[0].extras->claim_allocations;
  EXPECT_EQ(allocations.at("device").devices.at(0).device, "gpu1");
  EXPECT_EQ(allocations.at("second").devices.at(0).device, "gpu0");
}

}  // namespace
}  // namespace coppice::engine
