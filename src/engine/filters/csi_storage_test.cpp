#include <gtest/gtest.h>

#include <map>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/status_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// A storage class for which node "a" can provision 10 bytes and node "b" 100.
Engine CsiCluster() {
  Configuration configuration = Configuration::Defaults();
  configuration.schedule_csi_storage = true;
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutCsiDriver({"csi.example.com", true});
  engine.PutStorageClass({"local", "csi.example.com", true, {}});
  for (const auto& [name, bytes] : std::map<std::string, int64_t>{{"a", 10}, {"b", 100}}) {
    engine.PutNode(GpuNode(name, name == "a" ? 4 : 8, {{"host", name}}));
    engine.PutStorageCapacity(
        {"ns", name, "local", bytes, {}, LabelSelector{{{"host", name}}, {}}});
  }
  return engine;
}

void PutClaim(Engine& engine, const std::string& name, int64_t bytes, ClaimPhase phase,
              const std::string& owner) {
  PersistentVolumeClaimSpec claim;
  claim.namespace_name = "ns";
  claim.name = name;
  claim.storage_class = "local";
  claim.bytes = bytes;
  claim.phase = phase;
  claim.owner_pod_uid = owner;
  if (phase == ClaimPhase::kBound) {
    claim.volume_name = "pv-" + name;
    PersistentVolumeSpec volume;
    volume.name = claim.volume_name;
    volume.storage_class = "local";
    volume.claim_namespace = "ns";
    volume.claim_name = name;
    engine.PutVolume(volume);
  }
  engine.PutVolumeClaim(claim);
}

std::shared_ptr<PodShape> ShapeWithClaim(const std::string& claim) {
  auto shape = GpuShape(1);
  shape->volume_claims = {{claim, false}};
  return shape;
}

TEST(CsiStorage, VolumesGoWhereThereIsRoomForThem) {
  Engine engine = CsiCluster();
  PutClaim(engine, "small", 10, ClaimPhase::kPending, "");
  PutClaim(engine, "second", 1, ClaimPhase::kPending, "");
  PutClaim(engine, "huge", 101, ClaimPhase::kPending, "");
  // Node "a" is denser, and has room for one of the small volumes.
  PutGang(engine, "g0", {.shape = ShapeWithClaim("small"), .creation = base::Time{}});
  PutGang(engine, "g1",
          {.shape = ShapeWithClaim("second"), .creation = base::Time(std::chrono::seconds(1))});
  PutGang(engine, "g2", {.shape = ShapeWithClaim("huge")});
  const CycleResult result = engine.RunCycle(kNow);
  std::map<std::string, std::string> nodes;
  for (const auto& bind : result.binds) nodes[bind.pod.name] = bind.node;
  EXPECT_EQ(nodes, (std::map<std::string, std::string>{{"g0-0", "a"}, {"g1-0", "b"}}));
}

TEST(CsiStorage, WhatLeavesWithItsPodIsPlannedWith) {
  const auto run = [](bool owned) {
    Engine engine = CsiCluster();
    engine.RemoveNode("b");
    PutClaim(engine, "old", 8, ClaimPhase::kPending, owned ? "leaving-0" : "");
    PutClaim(engine, "new", 8, ClaimPhase::kPending, "");
    PutGang(engine, "leaving", {.shape = ShapeWithClaim("old"), .node = "a"});
    PodSpec pod;
    pod.name = pod.uid = "leaving-0";
    pod.shape = ShapeWithClaim("old");
    pod.pod_group = "leaving";
    pod.node = "a";
    pod.status = TaskStatus::kReleasing;
    engine.PutPod(pod);
    PutGang(engine, "next", {.shape = ShapeWithClaim("new")});
    const CycleResult result = engine.RunCycle(kNow);
    EXPECT_TRUE(result.binds.empty());
    return result.pipelined.size();
  };
  EXPECT_EQ(run(true), 1u);
  EXPECT_EQ(run(false), 0u);
}

TEST(CsiStorage, AClaimWhoseOwnerIsGoneIsOfNoUse) {
  const auto bound = [](const std::string& owner) {
    Engine engine = CsiCluster();
    PutClaim(engine, "c", 1, ClaimPhase::kPending, owner);
    PutGang(engine, "g", {.shape = ShapeWithClaim("c")});
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound("g-0"), 1u);
  EXPECT_EQ(bound("gone"), 0u);
}

// Once it is gone, another of that name may appear: pipelined, not placed.
TEST(CsiStorage, AClaimThatLeavesWithAnotherPodIsWaitedFor) {
  Engine engine = CsiCluster();
  PutClaim(engine, "c", 1, ClaimPhase::kPending, "old");
  PodSpec old;
  old.name = old.uid = "old";
  old.shape = ShapeWithClaim("c");
  old.node = "a";
  old.status = TaskStatus::kReleasing;
  engine.PutPod(old);
  PutGang(engine, "g", {.shape = ShapeWithClaim("c")});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_TRUE(result.binds.empty());
  EXPECT_EQ(result.pipelined.size(), 1u);
}

TEST(CsiStorage, ACapacityWithoutTopologyIsEverywhere) {
  Engine engine = CsiCluster();
  engine.PutStorageClass({"shared", "csi.example.com", true, {}});
  engine.PutCsiDriver({"csi.example.com", false});
  engine.PutStorageCapacity({"ns", "all", "shared", 5, {}, {}});
  PersistentVolumeClaimSpec claim;
  claim.namespace_name = "ns";
  claim.name = "c";
  claim.storage_class = "shared";
  claim.bytes = 5;
  engine.PutVolumeClaim(claim);
  PutGang(engine, "g", {.shape = ShapeWithClaim("c")});
  EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 1u);
}

TEST(CsiStorage, SaysOfWhichClassThereIsTooLittle) {
  Engine engine = CsiCluster();
  PutClaim(engine, "huge", 101, ClaimPhase::kPending, "");
  PutGang(engine, "g", {.shape = ShapeWithClaim("huge")});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_NE(StatusOf(result, "g")
                .pods.at(0)
                .message.find("2 node(s) did not have enough free storage for storageclass local"),
            std::string::npos);
}

TEST(CsiStorage, TwoCapacitiesOfAClassOnANodeAreNone) {
  Engine engine = CsiCluster();
  engine.RemoveNode("b");
  engine.PutStorageCapacity({"ns", "again", "local", 50, {}, LabelSelector{}});
  PutClaim(engine, "c", 1, ClaimPhase::kPending, "");
  PutGang(engine, "g", {.shape = ShapeWithClaim("c")});
  EXPECT_TRUE(engine.RunCycle(kNow).binds.empty());
}

}  // namespace
}  // namespace coppice::engine
