#include "services/binder/plugins/gpu_sharing_plugins.h"

#include <gtest/gtest.h>

#include "services/binder/fixture_testing.h"

namespace coppice::services::binder {
namespace {

class GpuSharing : public BinderFixture {};

TEST_F(GpuSharing, SeveralDevicesHaveALabelEach) {
  Start();
  AddSharingPod("p", ", gpu-fraction-num-devices: '2'");
  Request("p",
          "selectedNode: n1, receivedResourceType: Fraction, selectedGPUGroups: [g1, g2],"
          " receivedGPU: {count: 2, portion: '0.50'}");
  cluster.Settle(std::chrono::seconds(1));
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle(std::chrono::seconds(1));
  ReportGpu("n1", "g2", "GPU-2");
  cluster.Settle();
  const json::Value pod = cluster.Get(api::kPods, "p");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_EQ(kube::Label(pod, "runai-gpu-group/g1"), "g1");
  EXPECT_EQ(kube::Label(pod, "runai-gpu-group/g2"), "g2");
  const json::Value map = cluster.Get(api::kConfigMaps, "p-x-shared-gpu-0-evar");
  EXPECT_EQ(map["data"]["NVIDIA_VISIBLE_DEVICES"].AsString(), "GPU-1,GPU-2");
  // Without a plain label the groups are found all the same.
  ASSERT_TRUE(cluster.client().Delete(api::kPods, {"default", "p"}, {.grace_period_seconds = 0}));
  cluster.Settle();
  EXPECT_EQ(Reservations(), 0);
}

TEST_F(GpuSharing, CdiNamesAndHamiLimits) {
  const auto plugins = MergePluginConfigs(
      R"({"gpusharing":{"arguments":{"cdiEnabled":"true"}},"hamicore":{"enabled":true}})");
  ASSERT_TRUE(plugins);
  Start({.plugins = *plugins});
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle();
  EXPECT_EQ(cluster.Get(api::kConfigMaps, "p-x-shared-gpu-0-evar")["data"]["NVIDIA_VISIBLE_DEVICES"]
                .AsString(),
            "k8s.device-plugin.nvidia.com/gpu=GPU-1");
  EXPECT_EQ(cluster.Get(api::kConfigMaps, "p-x-shared-gpu-0")["data"]["CUDA_DEVICE_MEMORY_LIMIT"]
                .AsString(),
            "40960m");
}

}  // namespace
}  // namespace coppice::services::binder
