#include "services/scaleadjuster/controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::scaleadjuster {
namespace {

class ScaleAdjusterTest : public ::testing::Test {
 protected:
  void Start(int64_t cool_down = 60) {
    AddToManager(*cluster.manager, {.cool_down_seconds = cool_down});
    cluster.Start();
  }

  void AddUnschedulable(std::string_view name, std::string_view annotations) {
    cluster.AddPod(name, "q", 0, fmt::format("annotations: {{{}}}", annotations));
    SetCondition(name, "False");
  }

  void SetCondition(std::string_view name, std::string_view status) {
    const json::Value patch = Doc(fmt::format(
        "status: {{conditions: [{{type: PodScheduled, status: '{}', reason: Unschedulable}}]}}",
        status));
    EXPECT_TRUE(cluster.client().Patch(api::kPods, {"default", std::string(name)},
                                       kube::PatchType::kStrategic, patch,
                                       {.subresource = "status"}));
  }

  std::vector<int64_t> Gpus() {
    std::vector<int64_t> gpus;
    for (const json::Value& pod : cluster.List(api::kPods, "kai-scale-adjust")) {
      gpus.push_back(GpusOf(pod));
    }
    return gpus;
  }

  TestCluster cluster;
};

TEST_F(ScaleAdjusterTest, TwoHalvesNeedOneGpu) {
  Start();
  AddUnschedulable("a", "gpu-fraction: '0.5'");
  AddUnschedulable("b", "gpu-fraction: '0.5'");
  cluster.Settle();
  EXPECT_EQ(Gpus(), std::vector<int64_t>{1});
  const json::Value pod = cluster.Get(api::kPods, "default-a", "kai-scale-adjust");
  EXPECT_TRUE(kube::ConditionIs(pod, "PodScheduled", "False"));
  EXPECT_EQ(pod["spec"]["restartPolicy"].AsString(), "OnFailure");
}

TEST_F(ScaleAdjusterTest, MoreThanOneGpuNeedsTwo) {
  Start();
  AddUnschedulable("a", "gpu-fraction: '0.5'");
  AddUnschedulable("b", "gpu-fraction: '0.6'");
  cluster.Settle();
  EXPECT_EQ(Gpus(), (std::vector<int64_t>{1, 1}));
}

TEST_F(ScaleAdjusterTest, ManyDevicesMustBeOnOneNode) {
  Start();
  AddUnschedulable("a", "gpu-fraction: '0.5', gpu-fraction-num-devices: '2'");
  cluster.Settle();
  EXPECT_EQ(Gpus(), std::vector<int64_t>{2});
}

TEST_F(ScaleAdjusterTest, BadFractionHoldsNobodyUp) {
  Start();
  AddUnschedulable("a", "gpu-fraction: half");
  AddUnschedulable("b", "gpu-memory: '1000'");
  cluster.Settle();
  EXPECT_EQ(Gpus(), std::vector<int64_t>{1});
}

TEST_F(ScaleAdjusterTest, CoolsDownAfterAScalingPodWasCollected) {
  Start();
  AddUnschedulable("a", "gpu-fraction: '0.5'");
  cluster.Settle();
  SetCondition("a", "True");
  AddUnschedulable("b", "gpu-fraction: '0.5'");
  cluster.Settle();
  EXPECT_TRUE(Gpus().empty());
  cluster.Settle(std::chrono::seconds(45));
  EXPECT_TRUE(Gpus().empty());
  cluster.Settle(std::chrono::seconds(25));
  EXPECT_EQ(Gpus(), std::vector<int64_t>{1});
}

TEST_F(ScaleAdjusterTest, WithoutCoolDownAReplacementComesAtOnce) {
  Start(0);
  AddUnschedulable("a", "gpu-fraction: '0.5'");
  cluster.Settle();
  SetCondition("a", "True");
  AddUnschedulable("b", "gpu-fraction: '0.5'");
  cluster.Settle();
  EXPECT_EQ(Gpus(), std::vector<int64_t>{1});
  EXPECT_TRUE(cluster.Exists(api::kPods, "default-b", "kai-scale-adjust"));
}

}  // namespace
}  // namespace coppice::services::scaleadjuster
