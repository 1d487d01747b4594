#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/status_testing.h"

// The effective requests of a pod.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::HasSubstr;

TEST(ResourceNames, EverythingThatEndsInGpuIsAGpuAndTheRestIsExact) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  NodeSpec node = GpuNode("a", 0);
  node.allocatable.erase("nvidia.com/gpu");
  node.labels.erase("nvidia.com/gpu.count");
  node.allocatable["amd.com/gpu"] = base::Quantity::FromUnits(2);
  node.allocatable["example.com/nic"] = base::Quantity::FromUnits(1);
  engine.PutNode(node);
  auto shape = GpuShape(0);
  shape->containers[0].requests["amd.com/gpu"] = base::Quantity::FromUnits(2);
  shape->containers[0].requests["example.com/nic"] = base::Quantity::FromUnits(1);
  PutGang(engine, "g", {.shape = shape});
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 2);
  EXPECT_EQ(engine.RunCycle(kNow).binds.size(), 1u);
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 0);
  auto nic = GpuShape(0);
  nic->containers[0].requests["example.com/nic"] = base::Quantity::FromUnits(1);
  PutGang(engine, "second", {.shape = nic});
  const CycleResult result = engine.RunCycle(kNow);
  EXPECT_TRUE(result.binds.empty());
  EXPECT_THAT(StatusOf(result, "second").pods.at(0).message,
              HasSubstr("node(s) didn't have enough resources: example.com/nic"));
}

TEST(PodRequests, InitContainersPeakAndSidecarsStay) {
  // Sidecar 1 + app 2 run together; the init container needs 3 next to the sidecar before it.
  const auto fits = [](int cpus) {
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("team"));
    NodeSpec node = GpuNode("a", 1);
    node.allocatable["cpu"] = base::Quantity::FromUnits(cpus);
    engine.PutNode(node);
    auto shape = GpuShape(0);
    shape->containers[0].requests["cpu"] = base::Quantity::FromUnits(2);
    const auto add = [&](ContainerKind kind, int cpu) {
      ContainerSpec container;
      container.kind = kind;
      container.requests["cpu"] = base::Quantity::FromUnits(cpu);
      shape->containers.push_back(container);
    };
    add(ContainerKind::kSidecar, 1);
    add(ContainerKind::kInit, 3);
    shape->overhead["cpu"] = base::Quantity::FromUnits(1);
    PutGang(engine, "g", {.shape = shape});
    return engine.RunCycle(kNow).binds.size() == 1;
  };
  EXPECT_FALSE(fits(4));
  EXPECT_TRUE(fits(5));
}

}  // namespace
}  // namespace coppice::engine
