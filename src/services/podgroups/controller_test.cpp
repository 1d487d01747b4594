#include "services/podgroups/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/client/counting_client.h"
#include "kube/object.h"
#include "services/common/claims.h"
#include "services/podgroups/pod_usage.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::podgroups {
namespace {

class PodGroupsTest : public ::testing::Test {
 protected:
  void Start() {
    cluster.AddPriorityClasses();
    cluster.AddNode("n1", 4);
    EXPECT_TRUE(AddToManager(*cluster.manager, {}));
    cluster.Start();
  }
  void AddGroup(std::string_view spec) {
    cluster.Create(api::kPodGroups,
                   fmt::format("{{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, "
                               "metadata: {{name: g, namespace: default}}, spec: {{{}}}}}",
                               spec));
  }
  void AddMember(std::string_view name, int gpus, std::string_view more = "") {
    cluster.AddPod(name, "q", gpus,
                   fmt::format("annotations: {{pod-group-name: g{}}}",
                               more.empty() ? "" : ", " + std::string(more)));
  }
  void SetStatus(std::string_view pod, std::string_view status) {
    ASSERT_TRUE(cluster.client().Patch(
        api::kPods, {"default", std::string(pod)}, kube::PatchType::kMerge,
        Doc(fmt::format("status: {{{}}}", status)), {.subresource = "status"}));
  }
  void Bind(std::string_view pod) {
    const json::Value binding =
        Doc(fmt::format("{{apiVersion: v1, kind: Binding, metadata: {{name: {}, namespace: "
                        "default}}, target: {{kind: "
                        "Node, name: n1}}}}",
                        pod));
    ASSERT_TRUE(cluster.client().Create(api::kPods, binding, {.subresource = "binding"}));
  }
  json::Value Status() {
    cluster.Settle();
    return cluster.Get(api::kPodGroups, "g")["status"];
  }

  TestCluster cluster{1};
};

TEST_F(PodGroupsTest, RequestedAndAllocated) {
  Start();
  AddGroup("minMember: 2, queue: q, priorityClassName: build");
  AddMember("a", 1);
  AddMember("b", 2);
  AddMember("done", 4);
  SetStatus("done", "phase: Succeeded");
  json::Value usage = Status()["resourcesStatus"];
  EXPECT_EQ(usage["requested"]["nvidia.com/gpu"].AsString(), "3");
  EXPECT_EQ(usage["requested"]["cpu"].AsString(), "2");
  EXPECT_FALSE(usage["allocated"].Has("nvidia.com/gpu"));
  Bind("b");
  usage = Status()["resourcesStatus"];
  EXPECT_EQ(usage["allocated"]["nvidia.com/gpu"].AsString(), "2");
  EXPECT_EQ(usage["allocatedNonPreemptible"]["nvidia.com/gpu"].AsString(), "2");
  // A group that becomes preemptible holds nothing that is not.
  ASSERT_TRUE(cluster.client().Patch(api::kPodGroups, {"default", "g"}, kube::PatchType::kMerge,
                                     Doc("spec: {preemptibility: preemptible}")));
  EXPECT_FALSE(Status()["resourcesStatus"]["allocatedNonPreemptible"].Has("nvidia.com/gpu"));
}

TEST_F(PodGroupsTest, PreemptibleByClassThenGlobalDefaultThenFifty) {
  Start();
  AddGroup("minMember: 1, queue: q, priorityClassName: nothing");
  AddMember("a", 1);
  Bind("a");
  EXPECT_FALSE(Status()["resourcesStatus"]["allocatedNonPreemptible"].Has("nvidia.com/gpu"));
  cluster.Create(api::kPriorityClasses,
                 "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: all},"
                 " value: 200, globalDefault: true}");
  ASSERT_TRUE(cluster.client().Patch(api::kPodGroups, {"default", "g"}, kube::PatchType::kMerge,
                                     Doc("metadata: {labels: {again: now}}")));
  EXPECT_EQ(Status()["resourcesStatus"]["allocatedNonPreemptible"]["nvidia.com/gpu"].AsString(),
            "1");
}

TEST_F(PodGroupsTest, PhaseAndConditionFollowThePods) {
  Start();
  AddGroup("minMember: 2, queue: q");
  AddMember("a", 1);
  AddMember("b", 1);
  json::Value status = Status();
  EXPECT_EQ(status["phase"].AsString(), "Pending");
  EXPECT_EQ(status["conditions"].At(0)["status"].AsString(), "False");
  Bind("a");
  EXPECT_EQ(Status()["phase"].AsString(), "Pending");
  Bind("b");
  status = Status();
  EXPECT_EQ(status["phase"].AsString(), "Running");
  EXPECT_EQ(status["conditions"].At(0)["type"].AsString(), "Scheduled");
  EXPECT_EQ(status["conditions"].At(0)["status"].AsString(), "True");
  for (const char* pod : {"a", "b"}) SetStatus(pod, "phase: Succeeded");
  EXPECT_EQ(Status()["phase"].AsString(), "Succeeded");
}

TEST_F(PodGroupsTest, WhatHappensWithinMomentsIsWrittenOnce) {
  kube::CountingClient counting(cluster.client());
  cluster.manager = kube::Manager::Make(counting, cluster.stepper);
  Start();
  cluster.Settle();
  counting.Reset();
  AddGroup("minMember: 2, queue: q");
  for (const char* pod : {"a", "b"}) {
    AddMember(pod, 1);
    cluster.Settle(std::chrono::milliseconds(10));
    Bind(pod);
    cluster.Settle(std::chrono::milliseconds(10));
    SetStatus(pod, "phase: Running");
  }
  EXPECT_EQ(Status()["phase"].AsString(), "Running");
  EXPECT_EQ(counting.Writes(), 1) << counting.ToString();
  cluster.manager.reset();
}

// Upstream's CRD has no phase: it is pruned, and must not be written again and again.
TEST_F(PodGroupsTest, UpstreamsCrdIsNotWrittenInALoop) {
  const api::Resource crds = api::kCustomResourceDefinitions;
  json::Value crd = cluster.Get(crds, "podgroups.scheduling.run.ai");
  crd.Mutable("spec")
      .Mutable("versions")
      .MutableAt(0)
      .Mutable("schema")
      .Mutable("openAPIV3Schema")
      .Mutable("properties")
      .Mutable("status")
      .Mutable("properties")
      .Erase("phase");
  ASSERT_TRUE(cluster.client().Update(crds, crd));
  Start();
  AddGroup("minMember: 1, queue: q");
  AddMember("a", 1);
  const json::Value status = Status();
  EXPECT_FALSE(status.Has("phase"));
  EXPECT_EQ(status["conditions"].At(0)["type"].AsString(), "Scheduled");
  const std::string before = cluster.client().List(api::kPodGroups)->resource_version;
  cluster.Settle(std::chrono::minutes(10));
  EXPECT_EQ(cluster.client().List(api::kPodGroups)->resource_version, before);
}

TEST_F(PodGroupsTest, APodWithBadAnnotationsCountsForNothing) {
  Start();
  AddGroup("minMember: 1, queue: q");
  AddMember("bad", 0, "gpu-fraction: half");
  AddMember("fine", 2, "");
  cluster.Create(api::kPodGroups,
                 "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: other,"
                 " namespace: default}, spec: {minMember: 1, queue: q}}");
  cluster.AddPod("good", "q", 1, "annotations: {pod-group-name: other}");
  cluster.Settle();
  EXPECT_EQ(
      cluster
          .Get(api::kPodGroups, "other")["status"]["resourcesStatus"]["requested"]["nvidia.com/gpu"]
          .AsString(),
      "1");
  EXPECT_EQ(Status()["resourcesStatus"]["requested"]["nvidia.com/gpu"].AsString(), "2");
  const std::string before = cluster.client().List(api::kEvents)->resource_version;
  cluster.Settle(std::chrono::minutes(10));
  EXPECT_EQ(cluster.client().List(api::kEvents)->resource_version, before) << "told once";
}

json::Value SharingPod(std::string_view annotations, bool runs) {
  return Doc(
      fmt::format("{{metadata: {{name: p, annotations: {{received-resource-type: Fraction, {}}}}}, "
                  "spec: {{nodeName: n, containers: [{{name: c}}]}}, status: {{phase: {}}}}}",
                  annotations, runs ? "Running" : "Pending"));
}

TEST(PodUsageTest, FractionsTimesDevices) {
  const json::Value node = Doc("{metadata: {labels: {nvidia.com/gpu.memory: '80000'}}}");
  const auto fraction =
      UsageOf(SharingPod("gpu-fraction: '0.5', gpu-fraction-num-devices: '2'", true), node, {});
  ASSERT_TRUE(fraction) << fraction.error().message();
  EXPECT_EQ(fraction->requested.ToJson()["nvidia.com/gpu"].AsString(), "1");
  EXPECT_EQ(fraction->allocated.ToJson()["nvidia.com/gpu"].AsString(), "1");
  const auto memory = UsageOf(SharingPod("gpu-memory: '20000'", true), node, {});
  ASSERT_TRUE(memory) << memory.error().message();
  EXPECT_EQ(memory->requested.ToJson()["run.ai/gpu.memory"].AsString(), "20k");
  EXPECT_EQ(memory->allocated.ToJson()["nvidia.com/gpu"].AsString(), "250m");
}

// To a billionth, as upstream tells it, and for each device (upstream: for one).
TEST(PodUsageTest, MemoryOfSeveralDevices) {
  const json::Value node = Doc("{metadata: {labels: {nvidia.com/gpu.memory: '81920'}}}");
  const auto usage =
      UsageOf(SharingPod("gpu-memory: '20480', gpu-fraction-num-devices: '2'", true), node, {});
  ASSERT_TRUE(usage) << usage.error().message();
  EXPECT_EQ(usage->requested.ToJson()["run.ai/gpu.memory"].AsString(), "40960");
  EXPECT_EQ(usage->allocated.ToJson()["nvidia.com/gpu"].AsString(), "500m");
  const auto odd = UsageOf(SharingPod("gpu-memory: '10000'", true), node, {});
  ASSERT_TRUE(odd) << odd.error().message();
  EXPECT_EQ(odd->allocated.ToJson()["nvidia.com/gpu"].AsString(), "122070313n");
}

TEST(PodUsageTest, NodesMustNameOneVendorsMemory) {
  const json::Value pod = SharingPod("gpu-memory: '20000'", true);
  EXPECT_FALSE(UsageOf(pod, Doc("{metadata: {labels: {}}}"), {}));
  EXPECT_FALSE(UsageOf(pod,
                       Doc("{metadata: {labels: {nvidia.com/gpu.memory: '80000',"
                           " beta.amd.com/gpu.vram.64G: '1'}}}"),
                       {}));
  const auto amd = UsageOf(pod, Doc("{metadata: {labels: {beta.amd.com/gpu.vram.40G: '1'}}}"), {});
  ASSERT_TRUE(amd) << amd.error().message();
  EXPECT_EQ(amd->allocated.ToJson()["nvidia.com/gpu"].AsString(), "500m");
}

TEST(ClaimsTest, CountsByTheFirstGpuClass) {
  const auto count = [](std::string_view requests, std::string_view metadata = "") {
    return GpusOfClaim(Doc(fmt::format(
        "{{metadata: {{{}}}, spec: {{devices: {{requests: [{}]}}}}}}", metadata, requests)));
  };
  using Counts = std::map<std::string, int64_t>;
  EXPECT_EQ(count("{name: a, exactly: {deviceClassName: GPU.x, count: 2}},"
                  "{name: b, exactly: {deviceClassName: gpu.y, allocationMode: All}},"
                  "{name: c, exactly: {deviceClassName: nic}}"),
            (Counts{{"GPU.x", 3}}));
  EXPECT_EQ(count("{name: a, exactly: {deviceClassName: gpu.x}}"), (Counts{{"gpu.x", 1}}));
  EXPECT_EQ(count("{name: a, firstAvailable: [{name: b, deviceClassName: gpu.x}]}"), Counts());
  // v1beta1.
  EXPECT_EQ(count("{name: a, deviceClassName: gpu.x, count: 4}"), (Counts{{"gpu.x", 4}}));
  EXPECT_EQ(count("{name: a, exactly: {deviceClassName: gpu.x}}",
                  "annotations: {resource.kubernetes.io/extended-resource-claim: 'true'}"),
            Counts());
  EXPECT_EQ(count("{name: a, exactly: {deviceClassName: gpu.x, count: 9223372036854775807}},"
                  "{name: b, exactly: {deviceClassName: gpu.x, count: 5}}"),
            (Counts{{"gpu.x", 9223372036854775807}}));
}

}  // namespace
}  // namespace coppice::services::podgroups
