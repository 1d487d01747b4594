#include "services/scheduler/read/storage.h"

#include <gtest/gtest.h>

#include "services/scheduler/read/devices.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

TEST(VolumeClaim, IsBoundWhenTheVolumeControllerSaysSo) {
  EXPECT_TRUE(ReadVolumeClaim(Doc("{spec: {volumeName: v}}")).prebound);
  EXPECT_FALSE(ReadVolumeClaim(Doc("{spec: {}}")).prebound);
  EXPECT_FALSE(ReadVolumeClaim(Doc("{metadata: {annotations: {pv.kubernetes.io/bind-completed: "
                                   "'yes'}}, spec: {volumeName: v}}"))
                   .prebound);
}

TEST(VolumeClaim, IsOwnedByAPodThatSharesItWithNobody) {
  const auto owner = [](const std::string& references) {
    return ReadVolumeClaim(Doc("{metadata: {ownerReferences: " + references + "}}")).owner_pod_uid;
  };
  EXPECT_EQ(owner("[{kind: Pod, uid: p}]"), "p");
  EXPECT_EQ(owner("[{kind: Pod, uid: p}, {kind: StatefulSet, uid: s}]"), "");
  EXPECT_EQ(owner("[{kind: StatefulSet, uid: s}]"), "");
}

TEST(Volume, SaysWhoMayHaveIt) {
  const engine::PersistentVolumeSpec free = ReadVolume(Doc(R"(
metadata: {name: v, labels: {disk: fast}}
spec: {capacity: {storage: 10}, volumeMode: Block}
status: {phase: Available})"));
  EXPECT_TRUE(free.available);
  EXPECT_EQ(free.mode, "Block");
  EXPECT_EQ(free.labels.at("disk"), "fast");
  const engine::PersistentVolumeSpec released = ReadVolume(
      Doc("{spec: {claimRef: {namespace: n, name: c, uid: u}}, status: {phase: Released}}"));
  EXPECT_FALSE(released.available);
  EXPECT_EQ(released.claim_uid, "u");
}

TEST(ClaimAllocation, KeepsWhatDriversAreTold) {
  const json::Value allocation = Doc(R"(
devices:
  results: [{request: r, driver: d, pool: p, device: x, adminAccess: true}]
  config:
  - {source: FromClaim, requests: [r], opaque: {driver: d, parameters: {sharing: true}}})");
  EXPECT_EQ(WriteAllocation(ReadAllocation(view::resource::AllocationResult(allocation))), allocation);
}

}  // namespace
}  // namespace coppice::services::scheduler
