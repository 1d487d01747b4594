#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "engine/properties/random_world_testing.h"
#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

constexpr uint32_t kWorlds = 48;

std::string All(const CycleResult& result) {
  std::string out;
  for (const auto& bind : result.binds) {
    out += fmt::format("{} {} {}\n", bind.pod.uid, bind.node, fmt::join(bind.gpu_groups, " "));
  }
  for (const auto& evict : result.evictions) {
    out += fmt::format("{} {} {}\n", evict.pod.uid, evict.node, evict.message);
  }
  for (const auto& plan : result.pipelined) out += fmt::format("{} {}\n", plan.pod.uid, plan.node);
  for (const auto& group : result.groups) {
    out += fmt::format("{} {} {}\n", group.group.name, group.message, group.detail);
    for (const auto& pod : group.pods) out += fmt::format("{} {}\n", pod.pod.uid, pod.detail);
  }
  return out;
}

// Two cycles of a random world; every third is a reclaim among a few hundred pods instead.
std::string Decide(uint32_t number) {
  if (number % 3 != 0) {
    const RandomWorld world{Choices(number)};
    Engine engine = world.Build(number);
    const std::string first = All(engine.RunCycle(world.now));
    return first + All(engine.RunCycle(world.now + std::chrono::seconds(30)));
  }
  Engine engine(Configuration::Defaults());
  const int nodes = static_cast<int>(8 + number % 8);
  for (const auto& queue :
       {TopQueue("top"), ChildQueue("has", "top", 0), ChildQueue("wants", "top", 8.0 * nodes)}) {
    engine.PutQueue(queue);
  }
  for (int i = 0; i < nodes; ++i) engine.PutNode(GpuNode("n" + std::to_string(i), 8));
  for (int i = 0; i < 8 * nodes; ++i) {
    PutGang(engine, "v" + std::to_string(i),
            {.queue = "has", .shape = GpuShape(1), .node = "n" + std::to_string(i % nodes)});
  }
  PutGang(engine, "large", {.queue = "wants", .pods = nodes / 2, .shape = GpuShape(8)});
  return All(engine.RunCycle(base::Time(std::chrono::hours(1))));
}

std::vector<std::string> DecideOn(uint32_t threads) {
  std::vector<std::string> decided(kWorlds);
  std::vector<std::thread> workers;
  for (uint32_t worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      for (uint32_t i = worker; i < kWorlds; i += threads) decided[i] = Decide(i);
    });
  }
  for (auto& worker : workers) worker.join();
  return decided;
}

// A cycle runs on the calling thread and shares nothing with other engines, so decisions depend
// neither on the number of threads nor on what they do.
TEST(EngineThreads, OneTwoAndFourThreadsDecideTheSame) {
  const std::vector<std::string> alone = DecideOn(1);
  for (uint32_t threads : {1u, 2u, 4u}) {
    const std::vector<std::string> together = DecideOn(threads);
    for (uint32_t i = 0; i < kWorlds; ++i) {
      EXPECT_FALSE(alone[i].empty()) << i;
      EXPECT_EQ(together[i], alone[i]) << "world " << i << " on " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace coppice::engine
