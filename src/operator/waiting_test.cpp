// Pods that wait for room: how long they have waited is not held against them.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/sets_testing.h"

namespace coppice::operators {
namespace {

// The pods of the base gang that may be scheduled.
std::vector<json::Value> Core(World& world) {
  std::vector<json::Value> pods = world.List(api::kPods, "grove.io/podgang=demo-0");
  std::erase_if(pods,
                [](const json::Value& pod) { return !pod["spec"]["schedulingGates"].empty(); });
  return pods;
}

// Bound, its containers started and not ready, without anybody having looked meanwhile.
void Start(World& world, const json::Value& pod) {
  world.SetReady(pod["spec"]["hostname"].ToString(), false);
  json::Value binding = json::Value::Object({{"apiVersion", "v1"}, {"kind", "Binding"}});
  binding.Set("metadata", json::Value::Object({{"name", kube::Name(pod)},
                                               {"namespace", kube::Namespace(pod)},
                                               {"uid", kube::Uid(pod)}}));
  binding.Set("target", json::Value::Object({{"kind", "Node"}, {"name", "node-1"}}));
  ASSERT_TRUE(world.client->Create(api::kPods, binding, {.subresource = "binding"}));
}

TEST(Waiting, LongerThanTheTerminationDelayIsNoBreachOnceTheFirstPodsStart) {
  for (const bool compatible : {false, true}) {
    World::Options options = compatible ? GroveWorld() : DefaultWorld();
    options.bind = false;
    World world(std::move(options));
    world.Create(SmallSet());
    ASSERT_TRUE(world.Settle());
    world.RunFor(std::chrono::minutes(1));
    const std::vector<std::string> before = world.Names(api::kPods);
    const std::vector<json::Value> core = Core(world);
    for (const json::Value& pod : core) Start(world, pod);
    world.Restart();
    world.RunFor(std::chrono::seconds(5));
    EXPECT_EQ(world.Names(api::kPods), before) << "they are starting";
    for (const json::Value& pod : core) world.SetReady(pod["spec"]["hostname"].ToString(), true);
    world.RunFor(std::chrono::minutes(1));
    EXPECT_EQ(world.Names(api::kPods), before);
  }
}

TEST(Waiting, PodsThatNeverBecomeReadyEndAfterTheDelay) {
  World::Options options = DefaultWorld();
  options.bind = false;
  World world(std::move(options));
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  const std::vector<json::Value> core = Core(world);
  for (const json::Value& pod : core) Start(world, pod);
  world.Restart();
  world.RunFor(std::chrono::seconds(8));
  const auto exists = [&](const json::Value& pod) {
    return world.Exists(api::kPods, std::string(kube::Name(pod)));
  };
  EXPECT_TRUE(std::all_of(core.begin(), core.end(), exists));
  world.RunFor(std::chrono::seconds(10));
  EXPECT_TRUE(std::none_of(core.begin(), core.end(), exists));
}

}  // namespace
}  // namespace coppice::operators
