#include <gtest/gtest.h>

#include "services/muted_watch_testing.h"
#include "services/scheduler/tests/fixture_testing.h"

// What the scheduler's caches do not show yet is not given away a second time.
namespace coppice::services::scheduler {
namespace {

class LateNews : public SchedulerFixture {
 protected:
  void Start(kube::Client& client, bool with_binder) {
    cluster.manager = kube::Manager::Make(client, cluster.stepper);
    StartForTeam({}, with_binder);
    cluster.Settle();
  }
  void TearDown() override { cluster.manager.reset(); }

  std::string DeviceOf(std::string_view pod) {
    const json::Value request = cluster.Get(api::kBindRequests, pod);
    const json::Value& allocation =
        request["spec"]["extendedResourceClaimAllocation"]["allocation"];
    return allocation["devices"]["results"].At(0)["device"].ToString();
  }
  void Release(const api::ObjectKey& claim) {
    ASSERT_TRUE(cluster.client().Patch(api::kResourceClaims, claim, kube::PatchType::kMerge,
                                       Doc("status: {allocation: null, reservedFor: null}"),
                                       {.subresource = "status"}));
  }
};

TEST_F(LateNews, ABoundPodHasItsDevicesBeforeItsClaimSaysSo) {
  MutedWatch late(cluster.client(), api::kResourceClaims);
  AddDeviceNode("n1", 2);
  Start(late, true);
  late.Mute();
  for (const char* pod : {"first", "second"}) {
    cluster.AddPod(pod, "team", 1);
    cluster.Settle();
  }
  EXPECT_EQ(DeviceOf("first"), "gpu-0");
  EXPECT_EQ(DeviceOf("second"), "gpu-1");
}

TEST_F(LateNews, DevicesOfAPodThatIsGoneAreFreeWhenItsClaimSaysSo) {
  MutedWatch late(cluster.client(), api::kResourceClaims);
  AddDeviceNode("n1", 1);
  Start(late, true);
  late.Mute();
  cluster.AddPod("first", "team", 1);
  cluster.Settle();
  const api::ObjectKey claim = kube::KeyOf(cluster.List(api::kResourceClaims, "default").at(0));
  ASSERT_TRUE(
      cluster.client().Delete(api::kPods, {"default", "first"}, {.grace_period_seconds = 0}));
  cluster.AddPod("second", "team", 1);
  cluster.Settle(std::chrono::seconds(20));
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "second"));
  late.LetGo();
  cluster.Settle(std::chrono::seconds(20));
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "second"));
  Release(claim);
  cluster.Settle(std::chrono::seconds(20));
  EXPECT_TRUE(cluster.Exists(api::kBindRequests, "second"));
}

// Two binders: one failed, the other one did not.
TEST_F(LateNews, ABindThatFailedAndHappenedAllTheSameKeepsItsRoom) {
  MutedWatch late(cluster.client(), api::kPods);
  cluster.AddNode("n1", 1);
  Start(late, false);
  for (const char* pod : {"first", "second"}) {
    cluster.AddPod(pod, "team", 1, "labels: {priorityClassName: build}");
    cluster.Settle();
  }
  ASSERT_TRUE(cluster.Exists(api::kBindRequests, "first"));
  late.Mute();
  const std::string uid(kube::Uid(cluster.Get(api::kPods, "first")));
  ASSERT_TRUE(cluster.client().Create(
      api::kPods,
      Doc("{apiVersion: v1, kind: Binding, metadata: {name: first, namespace: default, uid: " +
          uid + "}, target: {apiVersion: v1, kind: Node, name: n1}}"),
      {.subresource = "binding"}));
  ASSERT_TRUE(cluster.client().Patch(api::kBindRequests, {"default", "first"},
                                     kube::PatchType::kMerge, Doc("status: {phase: Failed}"),
                                     {.subresource = "status"}));
  cluster.Settle(std::chrono::seconds(20));
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "second"));
  late.LetGo();
  cluster.Settle(std::chrono::seconds(20));
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "second"));
}

}  // namespace
}  // namespace coppice::services::scheduler
