// Pods that wait for capacity: their waiting time does not count against them, and pods that come
// after them wait until the gang is placed, the second time as well as the first.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

const std::string kScaled = "grove.io/base-podgang=demo-0";

std::vector<std::string> WithoutGates(World& world, const std::string& selector) {
  std::vector<std::string> names;
  for (const json::Value& pod : world.List(api::kPods, selector)) {
    if (pod["spec"]["schedulingGates"].empty()) names.emplace_back(kube::Name(pod));
  }
  return names;
}

std::string Scheduled(World& world) {
  return kube::Condition(world.Get(api::kPodGangs, "demo-0"), "Scheduled")["status"].ToString();
}

// The pods of the base gang that may be scheduled.
std::vector<json::Value> Core(World& world) {
  std::vector<json::Value> pods = world.List(api::kPods, "grove.io/podgang=demo-0");
  std::erase_if(pods,
                [](const json::Value& pod) { return !pod["spec"]["schedulingGates"].empty(); });
  return pods;
}

// Bound, with started containers that are not ready, and without a reconcile in between.
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

TEST(Waiting, ScaledGangsWaitForABaseGangThatLostAllItsPods) {
  World world(DefaultWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  ASSERT_EQ(Scheduled(world), "True");
  world.bind = false;
  // One after the other, so that there are always some pods.
  for (const std::string& pod : world.Names(api::kPods, "grove.io/podgang=demo-0")) {
    world.Delete(api::kPods, pod);
    world.RunFor(std::chrono::milliseconds(500));
  }
  for (const std::string& pod : world.Names(api::kPods, kScaled)) world.Delete(api::kPods, pod);
  world.RunFor(std::chrono::seconds(2));  // Less than the termination delay.
  ASSERT_EQ(world.List(api::kPods, kScaled).size(), 3u);
  EXPECT_EQ(Scheduled(world), "False");
  EXPECT_TRUE(WithoutGates(world, kScaled).empty());
  world.bind = true;
  for (const std::string& pod : world.Names(api::kPods, "grove.io/podgang=demo-0")) {
    world.Delete(api::kPods, pod);
  }
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(Scheduled(world), "True");
  EXPECT_EQ(WithoutGates(world, kScaled).size(), 3u);
}

// Like a rolling update: some of the gang's pods always exist.
TEST(Waiting, ScaledGangsDoNotWaitForABaseGangThatIsThereInPart) {
  World world(DefaultWorld());
  world.Create(SmallSet());
  ASSERT_TRUE(world.Settle());
  world.bind = false;
  world.Delete(api::kPods, std::string(kube::Name(world.PodOf("demo-0-fe-0"))));
  for (const std::string& pod : world.Names(api::kPods, kScaled)) world.Delete(api::kPods, pod);
  ASSERT_TRUE(world.Settle());
  EXPECT_EQ(Scheduled(world), "True");
  EXPECT_EQ(WithoutGates(world, kScaled).size(), 3u);
}

}  // namespace
}  // namespace coppice::operators
