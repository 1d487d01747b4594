#include <fmt/format.h>
#include <gmock/gmock.h>

#include "services/binder/fixture_testing.h"

namespace coppice::services::binder {
namespace {

using ::testing::HasSubstr;

class VolumeTest : public BinderFixture {
 protected:
  VolumeTest() { Start(); }

  void AddClass(std::string_view name, std::string_view provisioner, std::string_view mode) {
    cluster.Create(
        api::kStorageClasses,
        fmt::format("{{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {{name: "
                    "{}}}, provisioner: {}, volumeBindingMode: {}}}",
                    name, provisioner, mode));
  }
  void AddClaim(std::string_view name, std::string_view storage_class) {
    cluster.Create(api::kPersistentVolumeClaims, fmt::format(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {}, namespace: default}}
spec: {{storageClassName: {}, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 10Gi}}}}}}
)",
                                                             name, storage_class));
  }
  void AddVolume(std::string_view name, std::string_view size, std::string_view node) {
    cluster.Create(api::kPersistentVolumes, fmt::format(R"(
apiVersion: v1
kind: PersistentVolume
metadata: {{name: {}}}
spec:
  storageClassName: local
  accessModes: [ReadWriteOnce]
  capacity: {{storage: {}}}
  local: {{path: /data}}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [{}]}}]
)",
                                                        name, size, node));
    ASSERT_TRUE(cluster.client().Patch(api::kPersistentVolumes, {"", std::string(name)},
                                       kube::PatchType::kMerge, Doc("status: {phase: Available}"),
                                       {.subresource = "status"}));
  }
  void AddPodWith(std::string_view name, std::string_view claim) {
    cluster.Create(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, namespace: default}}
spec:
  schedulerName: kai-scheduler
  containers: [{{name: c, image: i}}]
  volumes: [{{name: v, persistentVolumeClaim: {{claimName: {}}}}}]
)",
                                           name, claim));
    Request(name, "selectedNode: n1, receivedResourceType: Regular");
  }
  // As the volume controller does once a volume names the claim, or a provisioner made one.
  void FinishClaim(std::string_view claim, std::string_view volume) {
    ASSERT_TRUE(cluster.client().Patch(
        api::kPersistentVolumeClaims, {"default", std::string(claim)}, kube::PatchType::kMerge,
        Doc(fmt::format("{{metadata: {{annotations: {{pv.kubernetes.io/bind-completed: 'yes'}}}}, "
                        "spec: {{volumeName: {}}}}}",
                        volume))));
  }
  json::Value Volume(std::string_view name) { return cluster.Get(api::kPersistentVolumes, name); }
};

TEST_F(VolumeTest, SmallestFittingVolumeOfTheNodeIsTaken) {
  AddClass("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer");
  AddVolume("other-node", "10Gi", "n2");
  AddVolume("large", "50Gi", "n1");
  AddVolume("fits", "20Gi", "n1");
  AddVolume("small", "5Gi", "n1");
  AddClaim("data", "local");
  AddPodWith("p", "data");
  cluster.Settle();
  EXPECT_EQ(Volume("fits")["spec"]["claimRef"]["name"].AsString(), "data");
  EXPECT_FALSE(Volume("large")["spec"].Has("claimRef"));
  EXPECT_EQ(NodeOf("p"), "");
  FinishClaim("data", "fits");
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "n1");
}

TEST_F(VolumeTest, ClaimsAreProvisionedForTheNode) {
  AddClass("fast", "csi.example", "WaitForFirstConsumer");
  AddClaim("data", "fast");
  AddPodWith("p", "data");
  cluster.Settle();
  const json::Value claim = cluster.Get(api::kPersistentVolumeClaims, "data");
  EXPECT_EQ(kube::Annotation(claim, "volume.kubernetes.io/selected-node"), "n1");
  EXPECT_EQ(NodeOf("p"), "");
  AddVolume("made", "10Gi", "n1");
  FinishClaim("data", "made");
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "n1");
}

TEST_F(VolumeTest, TimesOut) {
  AddClass("fast", "csi.example", "WaitForFirstConsumer");
  AddClaim("data", "fast");
  AddPodWith("p", "data");
  cluster.Settle(std::chrono::seconds(110));
  EXPECT_EQ(Phase("p"), "");
  cluster.Settle(std::chrono::seconds(20));
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_THAT(Reason("p"), HasSubstr("not bound within"));
}

TEST_F(VolumeTest, WaitingForAVolumeHoldsNobodyElseUp) {
  AddClass("fast", "csi.example", "WaitForFirstConsumer");
  for (int i = 0; i < 20; ++i) {
    AddClaim(fmt::format("data-{}", i), "fast");
    AddPodWith(fmt::format("waits-{}", i), fmt::format("data-{}", i));
  }
  cluster.Settle();
  cluster.AddPod("plain", "q", 1);
  Request("plain", kWhole);
  cluster.Settle(std::chrono::seconds(1));
  EXPECT_EQ(NodeOf("plain"), "n1");
}

TEST_F(VolumeTest, RefusesWhatCannotWork) {
  AddClass("now", "csi.example", "Immediate");
  AddClass("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer");
  AddClaim("immediate", "now");
  AddClaim("nothing-fits", "local");
  AddPodWith("a", "immediate");
  AddPodWith("b", "nothing-fits");
  AddPodWith("c", "no-such-claim");
  cluster.Settle();
  EXPECT_THAT(Reason("a"), HasSubstr("unbound immediate PersistentVolumeClaims"));
  EXPECT_THAT(Reason("b"), HasSubstr("no volume of class local fits claim"));
  EXPECT_THAT(Reason("c"), HasSubstr("not found"));
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Phase(name), "Failed") << name;
}

TEST_F(VolumeTest, TwoBindsNeverTakeOneVolume) {
  AddClass("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer");
  AddVolume("v1", "10Gi", "n1");
  AddVolume("v2", "10Gi", "n1");
  for (const char* name : {"a", "b"}) {
    AddClaim(name, "local");
    AddPodWith(name, name);
  }
  cluster.Settle();
  const std::string first = Volume("v1")["spec"]["claimRef"]["name"].ToString();
  const std::string second = Volume("v2")["spec"]["claimRef"]["name"].ToString();
  EXPECT_NE(first, second);
  EXPECT_FALSE(first.empty() || second.empty());
}

TEST_F(VolumeTest, AVolumeOfAnotherNodeIsRefused) {
  AddClass("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer");
  AddVolume("far", "10Gi", "n2");
  AddClaim("data", "local");
  FinishClaim("data", "far");
  AddPodWith("p", "data");
  cluster.Settle();
  EXPECT_THAT(Reason("p"), HasSubstr("cannot be used on node n1"));
}

}  // namespace
}  // namespace coppice::services::binder
