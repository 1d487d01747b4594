#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/properties/any_choices_testing.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// One node whose GPUs pods share or use whole. Compares the node's own accounting with what follows
// from its pods.
struct Books : Choices {
  static constexpr int64_t kMemory = 81900;  // MiB, as the node's label is read.

  struct Pod {
    TaskId task;
    int percent;     // Of one GPU; 100: a whole one.
    int32_t groups;  // Its GPU.
    int gpu = 0;     // The same, numbered.
    bool there = false;
    bool leaving = false;
  };

  explicit Books(Choices choices) : Choices(std::move(choices)) {
    Cluster& cluster = cycle.cluster;
    cluster.PutNode(GpuNode("a", 4));
    for (int i = 0; i < 8; ++i) {
      const int percent = std::vector{25, 50, 75, 100}[Pick(0, 3)];
      PodSpec pod;
      pod.name = pod.uid = "p" + std::to_string(i);
      pod.shape = percent == 100 ? GpuShape(1) : FractionShape("0." + std::to_string(percent));
      cluster.PutPod(pod);
      pods.push_back({cluster.FindTask(pod.uid), percent, 0});
    }
    cycle.Open();
    node = cluster.FindNode("a");
  }

  // A pod is added, starts to terminate, or is removed.
  void Step() {
    Cluster& cluster = cycle.cluster;
    Pod& pod = pods[Pick(0, 7)];
    const auto status = [&] { return pod.leaving ? TaskStatus::kReleasing : TaskStatus::kRunning; };
    if (pod.there) {
      cluster.Uncharge(node, pod.task, status(), pod.groups);
      pod.there = !pod.leaving && Chance(50);
      if (!pod.there) return;
      pod.leaving = true;
    } else {
      pod.leaving = Chance(20);
      pod.gpu = Pick(0, 3);
      pod.groups =
          pod.percent == 100
              ? 0
              : cluster.InternGpuGroups({cluster.InternName("gpu" + std::to_string(pod.gpu))});
    }
    pod.there = true;
    cluster.Charge(node, pod.task, status(), pod.groups);
  }

  int64_t MemoryOf(const Pod& pod) const { return kMemory * pod.percent / 100; }

  void Check() const {
    std::map<int, int64_t> used, leaving;
    int64_t devices = 0, releasing = 0;
    for (const Pod& pod : pods) {
      if (!pod.there) continue;
      if (pod.percent == 100) {
        ++devices;
        releasing += pod.leaving;
        continue;
      }
      used[pod.gpu] += MemoryOf(pod);
      if (pod.leaving) leaving[pod.gpu] += MemoryOf(pod);
    }
    for (const auto& [gpu, memory] : used) releasing += leaving[gpu] == memory;
    devices += static_cast<int64_t>(used.size());
    const Cluster& cluster = cycle.cluster;
    RC_ASSERT(cluster.amounts().idle(node)[kGpu] == (4 - devices) * kGpuUnit);
    RC_ASSERT(cluster.amounts().releasing(node)[kGpu] == releasing * kGpuUnit);
    for (const GpuGroup& group : cluster.nodes()[node].groups) {
      const int gpu = cluster.Text(group.id).back() - '0';
      RC_ASSERT(group.used == (used.contains(gpu) ? used.at(gpu) : 0));
      RC_ASSERT(group.releasing == (leaving.contains(gpu) ? leaving.at(gpu) : 0));
      RC_ASSERT(group.allocated == group.used);
    }
  }

  OpenedCycle cycle;
  NodeId node = kNone;
  std::vector<Pod> pods;
};

RC_GTEST_PROP(SharedGpuProperty, TheBooksSayWhatIsThere, ()) {
  Books books{*AnyChoices()};
  for (int i = books.Pick(1, 40); i > 0; --i) {
    books.Step();
    books.Check();
  }
}

// Labels say which GPUs a pod shares, and users write labels.
TEST(SharedGpus, APodHasNoMoreGpusThanItAsksFor) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 2));
  PodSpec pod;
  pod.name = pod.uid = "there";
  pod.shape = FractionShape("0.5");
  pod.node = "a";
  pod.status = TaskStatus::kRunning;
  for (int i = 0; i < 300; ++i) pod.gpu_groups.push_back("g" + std::to_string(i));
  engine.PutPod(pod);
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 1);
}

}  // namespace
}  // namespace coppice::engine
