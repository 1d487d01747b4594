#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/compatibility_testing.h"
#include "engine/tests/cycle_testing.h"

// Quirks in what counts as a GPU, in both forms.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

TEST(CompatibilitySwitches, ForeignGpuUnits) {
  const auto gpus = [](bool kept) {
    Engine engine(With(Quirk::kForeignGpuUnits, kept));
    NodeSpec node = GpuNode("a", 0);
    node.allocatable.erase("nvidia.com/gpu");
    node.allocatable["example.com/gpu"] = base::Quantity::FromUnits(2);
    engine.PutNode(node);
    return engine.FindNode("a")->idle_gpus;
  };
  EXPECT_EQ(gpus(true), 2000);
  EXPECT_EQ(gpus(false), 2);
}

// Nodes with unknown GPU memory have 100 MiB each.
TEST(CompatibilitySwitches, MigMemoryUnits) {
  const auto planned = [](bool kept) {
    Engine engine(With(Quirk::kMigMemoryUnits, kept, {"consolidation"}));
    engine.PutQueue(TopQueue("team"));
    const auto mig = [](int instances) {
      auto shape = GpuShape(0);
      shape->containers[0].requests["nvidia.com/mig-1g.10gb"] =
          base::Quantity::FromUnits(instances);
      return shape;
    };
    for (const std::string name : {"a", "b"}) {
      NodeSpec node = GpuNode(name, 0);
      node.labels.clear();
      node.allocatable["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(2);
      engine.PutNode(node);
      PutGang(engine, "on-" + name, {.shape = mig(1), .node = name});
    }
    PutGang(engine, "wants", {.shape = mig(2)});
    return engine.RunCycle(kNow).pipelined.size();
  };
  EXPECT_EQ(planned(true), 2u);
  EXPECT_EQ(planned(false), 0u) << "20 GB are not there";
}

TEST(CompatibilitySwitches, ClaimedResources) {
  const auto bound = [](bool kept) {
    Engine engine(With(Quirk::kClaimedResources, kept));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 1));
    DeviceClassSpec device_class;
    device_class.name = "nics";
    device_class.extended_resource_name = "example.com/nic";
    engine.PutDeviceClass(device_class);
    ResourceSliceSpec slice;
    slice.name = slice.pool = slice.node_name = "a";
    slice.driver = "nic.example.com";
    slice.devices = {{"nic0", {}, {}, {}}};
    engine.PutResourceSlice(slice);
    auto shape = GpuShape(1);
    shape->containers[0].requests["example.com/nic"] = base::Quantity::FromUnits(1);
    PutGang(engine, "g", {.shape = shape});
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound(true), 0u);
  EXPECT_EQ(bound(false), 1u);
}

TEST(CompatibilitySwitches, ClaimedGpusPerNode) {
  const auto counted = [](bool kept) {
    OpenedCycle cycle(With(Quirk::kClaimedGpusPerNode, kept));
    Cluster& cluster = cycle.cluster;
    cluster.PutQueue(TopQueue("team"));
    cluster.PutNode(GpuNode("a", 0));
    ResourceClaimSpec claim;
    claim.namespace_name = "ns";
    claim.name = "c";
    claim.requests = {{"r", "gpu.example.com", DeviceAllocationMode::kExactCount, 2, {}, {}}};
    cluster.devices().PutClaim(claim);
    PutGang(cluster, "g", {.pods = 0, .min = 1, .shape = GpuShape(0)});
    PodSpec pod;
    pod.uid = pod.name = "p";
    pod.shape = GpuShape(0);
    pod.pod_group = "g";
    pod.claims = {{"device", "c", false}};
    cluster.PutPod(pod);
    ActionContext& context = cycle.Open();
    return context.session.shares.CapacityRequestOn(cluster.FindTask("p"),
                                                    cluster.FindNode("a"))[2] /
           kGpuUnit;
  };
  EXPECT_EQ(counted(true), 0);
  EXPECT_EQ(counted(false), 2);
}

TEST(CompatibilitySwitches, GpuNames) {
  const auto gpus = [](bool kept, const std::string& driver) {
    Engine engine(With(Quirk::kGpuNames, kept));
    engine.PutNode(GpuNode("a", 0));
    ResourceSliceSpec slice;
    slice.name = slice.pool = slice.node_name = "a";
    slice.driver = driver;
    slice.devices = {{"d0", {}, {}, {}}};
    engine.PutResourceSlice(slice);
    engine.RunCycle(kNow);
    return engine.FindNode("a")->idle_gpus;
  };
  EXPECT_EQ(gpus(true, "nongpus.example.com"), 1);
  EXPECT_EQ(gpus(false, "nongpus.example.com"), 0);
  EXPECT_EQ(gpus(false, "GPU.example.com"), 1);
  EXPECT_EQ(gpus(false, "my-gpu"), 1);
}

}  // namespace
}  // namespace coppice::engine
