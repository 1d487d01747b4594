#include <gtest/gtest.h>

#include <map>

#include "engine/engine.h"
#include "engine/properties/choices_testing.h"
#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// Whether `pods` with `gpus` each fit on nodes with these free GPUs, by brute force.
bool BruteForce(std::vector<int> free, int pods, int gpus, size_t from = 0) {
  if (pods == 0) return true;
  for (size_t i = from; i < free.size(); ++i) {
    if (free[i] < gpus) continue;
    free[i] -= gpus;
    if (BruteForce(free, pods - 1, gpus, i)) return true;
    free[i] += gpus;
  }
  return false;
}

TEST(EngineProperty, OneGangIsPlacedExactlyWhenItFits) {
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    Choices world(seed);
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("team"));
    std::vector<int> free;
    for (int i = world.Pick(1, 6); i > 0; --i) {
      const int gpus = world.Pick(0, 8);
      const std::string name = "n" + std::to_string(i);
      engine.PutNode(GpuNode(name, gpus));
      const int taken = world.Pick(0, gpus);
      if (taken > 0) {
        PutGang(engine, "on-" + name,
                {.shape = GpuShape(taken), .priority = 100, .preemptible = false, .node = name});
      }
      free.push_back(gpus - taken);
    }
    const int pods = world.Pick(1, 5), gpus = world.Pick(1, 8);
    PutGang(engine, "asked", {.pods = pods, .shape = GpuShape(gpus)});
    const CycleResult result = engine.RunCycle(kNow);
    const bool fits = BruteForce(free, pods, gpus);
    ASSERT_EQ(result.binds.size(), fits ? static_cast<size_t>(pods) : 0u) << "seed " << seed;
  }
}

// No decision overcommits a node, GPU, limit or quota, and gangs are complete.
TEST(EngineProperty, DecisionsBreakNoRule) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    Choices world(seed);
    Engine engine(Configuration::Defaults());
    engine.PutQueue(TopQueue("top"));
    const double limit = world.Pick(2, 12);
    engine.PutQueue(ChildQueue("team", "top", world.Pick(0, 6), limit));
    engine.PutQueue(ChildQueue("other", "top", world.Pick(0, 6)));
    std::map<std::string, int> capacity;
    const int nodes = world.Pick(1, 5);
    for (int i = 0; i < nodes; ++i) {
      const std::string name = "n" + std::to_string(i);
      capacity[name] = world.Pick(1, 8);
      engine.PutNode(GpuNode(name, capacity[name]));
    }
    struct Made {
      int pods, min, gpus;
      std::string queue;
    };
    std::map<std::string, Made> gangs;
    for (int i = world.Pick(1, 12); i > 0; --i) {
      const std::string name = "g" + std::to_string(i);
      Made made{world.Pick(1, 4), 0, world.Pick(0, 3), world.Pick(0, 1) ? "team" : "other"};
      made.min = world.Pick(1, made.pods);
      gangs[name] = made;
      PutGang(engine, name,
              {.queue = made.queue,
               .pods = made.pods,
               .min = made.min,
               .shape = GpuShape(made.gpus),
               .priority = world.Pick(0, 1) ? 50 : 90,
               .preemptible = world.Pick(0, 1) == 1,
               .creation = base::Time(std::chrono::seconds(i))});
    }
    for (int cycle = 0; cycle < 3; ++cycle) engine.RunCycle(kNow);
    std::map<std::string, int> used;
    double in_team = 0;
    for (const auto& [name, made] : gangs) {
      int placed = 0;
      for (int i = 0; i < made.pods; ++i) {
        const auto pod = engine.FindPod(name + "-" + std::to_string(i));
        if (pod->status == TaskStatus::kPending || pod->node.empty()) continue;
        used[pod->node] += made.gpus;
        ++placed;  // Terminating pods were placed with the rest.
        if (pod->status == TaskStatus::kReleasing) continue;
        if (made.queue == "team") in_team += made.gpus;
      }
      ASSERT_TRUE(placed == 0 || placed >= made.min) << name << " seed " << seed;
    }
    for (const auto& [node, gpus] : used)
      ASSERT_LE(gpus, capacity[node]) << node << " seed " << seed;
    ASSERT_LE(in_team, limit) << "seed " << seed;
  }
}

}  // namespace
}  // namespace coppice::engine
