#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/binder/controller.h"
#include "services/binder/reservation/reservation_pod.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::binder {

// A binder on a cluster with one node of four GPUs.
class BinderFixture : public ::testing::Test {
 protected:
  void Start(Options options = {}) {
    cluster.AddNode("n1", 4);
    ASSERT_TRUE(AddToManager(*cluster.manager, std::move(options)));
    cluster.Start();
    cluster.Settle();
  }

  void Request(std::string_view pod, std::string_view spec) {
    cluster.Create(
        api::kBindRequests,
        fmt::format("{{apiVersion: scheduling.run.ai/v1alpha2, kind: BindRequest, metadata: "
                    "{{name: {0}, namespace: default}}, spec: {{podName: {0}, {1}}}}}",
                    pod, spec));
  }
  std::string Phase(std::string_view name) {
    return cluster.Get(api::kBindRequests, name)["status"]["phase"].ToString();
  }
  std::string Reason(std::string_view name) {
    return cluster.Get(api::kBindRequests, name)["status"]["reason"].ToString();
  }
  std::string NodeOf(std::string_view pod) {
    return cluster.Get(api::kPods, pod)["spec"]["nodeName"].ToString();
  }
  void ReportGpu(std::string_view node, std::string_view group, std::string_view id) {
    const api::ObjectKey key{"kai-resource-reservation", ReservationPodName(node, group)};
    const auto patched = cluster.client().Patch(
        api::kPods, key, kube::PatchType::kMerge,
        Doc(fmt::format("metadata: {{annotations: {{run.ai/reserve_for_gpu_index: {}}}}}", id)));
    EXPECT_TRUE(patched) << patched.error().message();
  }
  json::Value AddSharingPod(std::string_view name, std::string_view more = "") {
    return cluster.AddPod(name, "q", 0,
                          fmt::format("annotations: {{gpu-fraction: '0.5', "
                                      "runai/shared-gpu-configmap: {}-x-shared-gpu{}}}",
                                      name, more));
  }
  size_t Reservations() { return cluster.List(api::kPods, "kai-resource-reservation").size(); }

  static constexpr const char* kWhole =
      "selectedNode: n1, receivedResourceType: Regular, receivedGPU: {count: 1, portion: '1.00'}";
  static constexpr const char* kHalf =
      "selectedNode: n1, receivedResourceType: Fraction, selectedGPUGroups: [g1],"
      " receivedGPU: {count: 1, portion: '0.50'}";

  TestCluster cluster{1};
};

}  // namespace coppice::services::binder
