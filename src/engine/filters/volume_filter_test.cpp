#include "engine/filters/volume_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/status_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::HasSubstr;

// Nodes "a" and "b", and two classes with delayed binding: "local" only has existing volumes; those
// of "made" are provisioned by a driver that publishes its capacity.
class VolumeFilterTest : public ::testing::Test {
 protected:
  VolumeFilterTest() : engine(Configuration::Defaults()) {
    engine.PutQueue(TopQueue("team"));
    for (const char* name : {"a", "b"}) engine.PutNode(GpuNode(name, 8, {{"host", name}}));
    engine.PutStorageClass({"local", "kubernetes.io/no-provisioner", true, {}});
    engine.PutStorageClass({"made", "csi.example.com", true, {}});
    engine.PutStorageClass({"at-once", "csi.example.com", false, {}});
  }

  static PersistentVolumeClaimSpec Claim(const std::string& name, const std::string& cls,
                                         int64_t bytes = 10) {
    PersistentVolumeClaimSpec claim;
    claim.namespace_name = "ns";
    claim.name = claim.uid = name;
    claim.storage_class = cls;
    claim.bytes = bytes;
    claim.access_modes = {"ReadWriteOnce"};
    return claim;
  }

  static PersistentVolumeSpec Volume(const std::string& name, const std::string& host,
                                     int64_t bytes = 10) {
    PersistentVolumeSpec volume;
    volume.name = name;
    volume.storage_class = "local";
    volume.bytes = bytes;
    volume.access_modes = {"ReadWriteOnce"};
    volume.node_affinity = NodeSelector{{{{{"host", SelectorOperator::kIn, {host}}}, {}}}};
    return volume;
  }

  // The node that a pod with these claims gets, or its message.
  std::string Outcome(const std::vector<VolumeClaimRef>& claims) {
    auto shape = GpuShape(1);
    shape->volume_claims = claims;
    PutGang(engine, "g", {.shape = shape});
    const CycleResult result = engine.RunCycle(kNow);
    if (!result.binds.empty()) return result.binds[0].node;
    const auto& pods = StatusOf(result, "g").pods;
    return pods.empty() ? "" : pods[0].message;
  }

  Engine engine;
};

constexpr char kNothingToBind[] = "2 node(s) didn't find available persistent volumes to bind";

TEST_F(VolumeFilterTest, AFreeVolumeDecidesTheNode) {
  engine.PutVolume(Volume("v", "b"));
  engine.PutVolumeClaim(Claim("c", "local"));
  EXPECT_EQ(Outcome({{"c", false}}), "b");
}

TEST_F(VolumeFilterTest, TwoClaimsDoNotShareAVolume) {
  engine.PutVolume(Volume("v", "b"));
  engine.PutVolumeClaim(Claim("c", "local"));
  engine.PutVolumeClaim(Claim("d", "local"));
  EXPECT_THAT(Outcome({{"c", false}, {"d", false}}), HasSubstr(kNothingToBind));
  engine.PutVolume(Volume("w", "b", 20));
  EXPECT_EQ(Outcome({{"c", false}, {"d", false}}), "b");
}

// The smaller claim takes the smaller volume, independent of their order in the pod.
TEST_F(VolumeFilterTest, SmallClaimsChooseFirst) {
  engine.PutVolume(Volume("v", "b", 10));
  engine.PutVolume(Volume("w", "b", 20));
  engine.PutVolumeClaim(Claim("large", "local", 20));
  engine.PutVolumeClaim(Claim("small", "local", 10));
  EXPECT_EQ(Outcome({{"small", false}, {"large", false}}), "b");
}

TEST_F(VolumeFilterTest, AVolumeHasToBeAsAskedFor) {
  const auto with = [&](auto change) {
    PersistentVolumeSpec volume = Volume("v", "b");
    PersistentVolumeClaimSpec claim = Claim("c", "local");
    change(volume, claim);
    engine.PutVolume(volume);
    engine.PutVolumeClaim(claim);
    return Outcome({{"c", false}});
  };
  EXPECT_THAT(with([](auto& volume, auto&) { volume.available = false; }),
              HasSubstr(kNothingToBind));
  EXPECT_THAT(with([](auto& volume, auto&) { volume.deleted = true; }), HasSubstr(kNothingToBind));
  EXPECT_THAT(with([](auto& volume, auto&) { volume.mode = "Block"; }), HasSubstr(kNothingToBind));
  EXPECT_THAT(with([](auto&, auto& claim) { claim.access_modes = {"ReadWriteMany"}; }),
              HasSubstr(kNothingToBind));
  EXPECT_THAT(
      with([](auto&, auto& claim) { claim.selector = LabelSelector{{{"disk", "fast"}}, {}}; }),
      HasSubstr(kNothingToBind));
  EXPECT_EQ(with([](auto& volume, auto& claim) {
              claim.selector = LabelSelector{{{"disk", "fast"}}, {}};
              volume.labels["disk"] = "fast";
              claim.mode = "Filesystem";
            }),
            "b");
}

TEST_F(VolumeFilterTest, AVolumeThatIsKeptForTheClaimIsTheOnlyOne) {
  PersistentVolumeSpec kept = Volume("kept", "b");
  kept.claim_namespace = "ns";
  kept.claim_name = "c";
  kept.available = false;
  engine.PutVolume(kept);
  engine.PutVolume(Volume("a-free", "a"));
  engine.PutVolumeClaim(Claim("c", "local"));
  EXPECT_EQ(Outcome({{"c", false}}), "b");
  kept.claim_uid = "another c";
  engine.PutVolume(kept);
  engine.RemoveVolume("a-free");
  EXPECT_THAT(Outcome({{"c", false}}), HasSubstr(kNothingToBind));
}

TEST_F(VolumeFilterTest, AClaimThatHasItsNodeStaysThere) {
  PersistentVolumeClaimSpec claim = Claim("c", "made");
  claim.selected_node = "b";
  engine.PutVolumeClaim(claim);
  EXPECT_EQ(Outcome({{"c", false}}), "b");
}

TEST_F(VolumeFilterTest, DriversThatPublishTheirRoomAreAsked) {
  engine.PutCsiDriver({"csi.example.com", true});
  engine.PutStorageCapacity({"ns", "b", "made", 100, {}, LabelSelector{{{"host", "b"}}, {}}});
  engine.PutVolumeClaim(Claim("c", "made"));
  EXPECT_EQ(Outcome({{"c", false}}), "b");
  engine.PutStorageCapacity({"ns", "b", "made", 100, 9, LabelSelector{{{"host", "b"}}, {}}});
  EXPECT_THAT(Outcome({{"c", false}}), HasSubstr("2 node(s) did not have enough free storage"));
}

TEST_F(VolumeFilterTest, EverythingThatIsWrongWithANodeIsSaid) {
  PersistentVolumeClaimSpec bound = Claim("bound", "local");
  bound.volume_name = "v";
  engine.PutVolume(Volume("v", "elsewhere"));
  engine.PutVolumeClaim(bound);
  engine.PutVolumeClaim(Claim("free", "local"));
  EXPECT_THAT(Outcome({{"bound", false}, {"free", false}}),
              HasSubstr("2 node(s) had volume node affinity conflict, node(s) didn't find "
                        "available persistent volumes to bind"));
}

TEST_F(VolumeFilterTest, AClaimThatAsksForItsVolumeByNameIsNotBoundYet) {
  PersistentVolumeClaimSpec claim = Claim("c", "local");
  claim.volume_name = "v";
  engine.PutVolume(Volume("v", "b"));
  engine.PutVolumeClaim(claim);
  EXPECT_EQ(Outcome({{"c", false}}), "b");
  claim.prebound = true;
  engine.PutVolumeClaim(claim);
  EXPECT_THAT(Outcome({{"c", false}}),
              HasSubstr("pod has unbound immediate PersistentVolumeClaims"));
}

TEST_F(VolumeFilterTest, AnEphemeralVolumeHasAClaimOfThePod) {
  EXPECT_THAT(Outcome({{"scratch", true}}),
              HasSubstr("waiting for ephemeral volume controller to create the "
                        "persistentvolumeclaim \"g-0-scratch\""));
  PersistentVolumeClaimSpec claim = Claim("g-0-scratch", "made");
  engine.PutVolumeClaim(claim);
  EXPECT_THAT(Outcome({{"scratch", true}}),
              HasSubstr("PVC ns/g-0-scratch was not created for pod ns/g-0 (pod is not owner)"));
  claim.owner_pod_uid = "g-0";
  engine.PutVolumeClaim(claim);
  EXPECT_EQ(Outcome({{"scratch", true}}), "a");
}

}  // namespace
}  // namespace coppice::engine
