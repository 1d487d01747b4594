#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>

#include "engine/registry.h"
#include "engine/scale/bench_cycles.h"
#include "engine/shares/shares.h"
#include "engine/state/cluster.h"

// The workloads E1-E12 (docs/benchmarks.md). State is set up outside the timed part.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

void E1_Fill(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cycle(state, nodes, [&] {
    Engine engine = Fleet(nodes, 8, FourQueues(8.0 * nodes));
    const auto shape = GpuShape(1);
    for (int i = 0; i < 8 * nodes; ++i) {
      PutGang(engine, Padded("j", i), {.queue = "q" + std::to_string(i % 4), .shape = shape});
    }
    return engine;
  });
}
BENCHMARK(E1_Fill)->Apply(Nodes<50, 500, 5000>)->Unit(benchmark::kMillisecond)->Iterations(3);

enum Where { kAnywhere, kPreferRack, kRequireBlock, kRequireRack, kRequireRackEach };

std::optional<TopologyConstraint> ConstraintOf(int64_t where) {
  switch (where) {
    case kPreferRack:
      return TopologyConstraint{"t", "", "topo/rack"};
    case kRequireBlock:
      return TopologyConstraint{"t", "topo/block", "topo/rack"};
    case kRequireRack:
      return TopologyConstraint{"t", "topo/rack", ""};
    default:
      return std::nullopt;
  }
}

// A gang of 512 pods in 32 sub-groups, each of which needs its own rack.
void PutRackedGang(Engine& engine) {
  PodGroupSpec group;
  group.name = "gang";
  group.namespace_name = "ns";
  group.queue = "q0";
  PodSpec pod;
  pod.pod_group = group.name;
  pod.shape = GpuShape(8);
  for (int i = 0; i < 32; ++i) {
    SubGroupSpec sub_group;
    sub_group.name = Padded("s", i);
    sub_group.min_members = 16;
    sub_group.topology = ConstraintOf(kRequireRack);
    group.sub_groups.push_back(sub_group);
    pod.sub_group = sub_group.name;
    for (int j = 0; j < 16; ++j) {
      pod.name = pod.uid = Padded("p", 16 * i + j);
      engine.PutPod(pod);
    }
  }
  engine.PutPodGroup(group);
}

// One gang that needs every node, or one block of 128, or one rack of 16, or a rack for each
// sub-group.
void E2_OneGang(benchmark::State& state) {
  const int sizes[] = {512, 512, 128, 16};
  Cycle(state, 512, [&] {
    Engine engine = Fleet(512, 8, FourQueues(4096));
    engine.PutTopology(ThreeLevels());
    if (state.range(0) == kRequireRackEach) {
      PutRackedGang(engine);
      return engine;
    }
    GangOptions options{.queue = "q0", .pods = sizes[state.range(0)], .shape = GpuShape(8)};
    options.topology = ConstraintOf(state.range(0));
    PutGang(engine, "gang", options);
    return engine;
  });
}
BENCHMARK(E2_OneGang)->DenseRange(0, 4)->Unit(benchmark::kMillisecond)->Iterations(5);

// 50 racks of 100 nodes; the gangs go anywhere, or prefer one rack. items_per_second counts pods.
void E3_Gangs(benchmark::State& state) {
  Cycle(state, 5000, [&] {
    Engine engine = Fleet(5000, 8, FourQueues(40000), 100);
    engine.PutTopology(ThreeLevels());
    GangOptions options{.shape = GpuShape(1)};
    options.topology = ConstraintOf(state.range(0));
    for (int i = 0; i < 3009; ++i) {
      const bool large = i >= 3000;
      options.queue = "q" + std::to_string(i % 4);
      options.pods = large ? 1000 : 3;
      PutGang(engine, Padded(large ? "l" : "s", i), options);
    }
    return engine;
  });
  state.SetItemsProcessed(state.iterations() * 18000);
}
BENCHMARK(E3_Gangs)->Arg(kAnywhere)->Arg(kPreferRack)->Unit(benchmark::kMillisecond)->Iterations(3);

void E4_ReclaimLarge(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  const Shape& shape = FindShape("ReclaimLargeJobs");
  Cycle(state, nodes, [&] { return shape.make({nodes, nodes / 2}); });
}
BENCHMARK(E4_ReclaimLarge)
    ->Apply(Nodes<50, 200, 500, 1000>)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

void E5_ManySingles(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  const Shape& shape = FindShape("ReclaimManySingles");
  Cycle(state, nodes, [&] { return shape.make({nodes, 8 * nodes}); });
}
BENCHMARK(E5_ManySingles)
    ->Apply(Nodes<100, 200, 500, 1000>)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

// A gang that lacks one GPU of quota; also with anti-affinity between its pods, and with pods that
// must share a rack.
void E6_Refuse(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  const char* kinds[] = {"Unschedulable", "UnschedulableAntiAffinity", "UnschedulableTopology"};
  const Shape& shape = FindShape(kinds[state.range(1)]);
  Cycle(state, nodes, [&] { return shape.make({nodes, 10}); });
}
void RefuseSizes(benchmark::internal::Benchmark* bench) {
  const int64_t given = Given("COPPICE_NODES");
  for (const int64_t nodes : {10, 50}) {
    if (!given) bench->Args({nodes, 0});
  }
  for (const int64_t kind : {0, 1, 2}) bench->Args({given ? given : 1000, kind});
}
BENCHMARK(E6_Refuse)->Apply(RefuseSizes)->Unit(benchmark::kMillisecond)->Iterations(1);

// Three GPUs of every node are used by pods that can move; gangs need six on one node.
void E7_Consolidate(benchmark::State& state) {
  constexpr int kNodes = 500;
  Cycle(state, kNodes, [&] {
    Engine engine = Fleet(kNodes, 8, FourQueues(8.0 * kNodes));
    const auto one = GpuShape(1);
    for (int i = 0; i < 3 * kNodes; ++i) {
      PutGang(engine, Padded("r", i),
              {.queue = "q" + std::to_string(i % 4), .shape = one, .node = Padded("n", i / 3)});
    }
    for (int i = 0; i < 41; ++i) {
      PutGang(engine, Padded("g", i),
              {.queue = "q" + std::to_string(i % 4), .pods = 10, .shape = GpuShape(6)});
    }
    return engine;
  });
}
BENCHMARK(E7_Consolidate)->Unit(benchmark::kMillisecond)->Iterations(1);

// 1,000 queues: 5, 25, 125 and 845 in four levels. The leaves request ten times the capacity.
void PutQueueTree(Cluster& cluster) {
  const int widths[] = {5, 25, 125, 845};
  for (int level = 0; level < 4; ++level) {
    for (int i = 0; i < widths[level]; ++i) {
      QueueSpec queue =
          TopQueue(fmt::format("q{}-{:03}", level, i), 0.5 * 845 / widths[level], -1, 1.0 + i % 7);
      queue.priority = 100 + i % 3;
      if (level > 0) queue.parent = fmt::format("q{}-{:03}", level - 1, i % widths[level - 1]);
      cluster.PutQueue(queue);
    }
  }
}

void PutTenfoldDemand(Cluster& cluster) {
  PodGroupSpec group;
  group.namespace_name = "ns";
  group.min_members = 1;
  PodSpec pod;
  pod.shape = GpuShape(10);
  for (int i = 0; i < 845; ++i) {
    group.name = pod.pod_group = pod.uid = pod.name = Padded("j", i);
    group.queue = fmt::format("q3-{:03}", i);
    cluster.PutPodGroup(group);
    cluster.PutPod(pod);
  }
}

// The whole share computation at the start of a cycle: reads quotas, sums up demand, and divides
// three resources from the top down.
void E8_FairShare(benchmark::State& state) {
  const Configuration configuration = Configuration::Defaults();
  const Plugins plugins = ReadPlugins(configuration);
  Cluster cluster(configuration);
  PutQueueTree(cluster);
  PutTenfoldDemand(cluster);
  for (int i = 0; i < 845; ++i) cluster.PutNode(GpuNode(Padded("n", i), 1));
  cluster.Refresh();
  Shares shares(cluster, plugins);
  for (auto _ : state) shares.Open({});
  double divided = 0, asked = 0;
  for (const QueueId root : cluster.queues().roots()) {
    divided += cluster.queues()[root].fair_share[2] / kGpuUnit;
    asked += cluster.queues()[root].request[2] / kGpuUnit;
  }
  state.counters["queues"] = static_cast<double>(cluster.queues().size());
  state.counters["divided"] = divided;
  state.counters["oversubscribed"] = asked / 845;
}
BENCHMARK(E8_FairShare)->Unit(benchmark::kMicrosecond)->Iterations(200);

void E9_Steady(benchmark::State& state) {
  Engine engine = Fleet(5000, 8, FourQueues(40000));
  auto foreign = GpuShape(0, "kube-system");
  foreign->scheduler_name = "default-scheduler";
  PodSpec pod;
  pod.shape = foreign;
  pod.status = TaskStatus::kRunning;
  for (int i = 0; i < 140000; ++i) {
    pod.uid = pod.name = Padded("f", i);
    pod.node = Padded("n", i % 5000);
    engine.PutPod(pod);
  }
  const auto one = GpuShape(1);
  for (int i = 0; i < 500; ++i) {
    PutGang(engine, Padded("g", i), {.queue = "q0", .shape = one, .node = Padded("n", i)});
  }
  engine.RunCycle(kNow);
  int next = 0;
  for (auto _ : state) {
    PutGang(engine, "changing", {.queue = "q1", .shape = one, .priority = ++next % 3});
    benchmark::DoNotOptimize(engine.RunCycle(kNow));
  }
}
BENCHMARK(E9_Steady)->Unit(benchmark::kMicrosecond)->Iterations(50);

// Exact accounting leaves 2,000 GPUs idle: every other one holds two halves.
void E10_Fractions(benchmark::State& state) {
  Cycle(state, 500, [&] {
    Engine engine = Fleet(500, 8, FourQueues(4000));
    const auto half = FractionShape("0.5");
    for (int i = 0; i < 4000; ++i) {
      PutGang(engine, Padded("j", i), {.queue = "q" + std::to_string(i % 4), .shape = half});
    }
    return engine;
  });
}
BENCHMARK(E10_Fractions)->Unit(benchmark::kMillisecond)->Iterations(1);

// Verdicts about hypothetical gangs on a half-full cluster.
void E11_WhatIf(benchmark::State& state) {
  Engine engine = Fleet(500, 8, FourQueues(4000));
  const auto one = GpuShape(1);
  for (int i = 0; i < 2000; ++i) {
    PutGang(engine, Padded("r", i), {.queue = "q0", .shape = one, .node = Padded("n", i / 4)});
  }
  engine.RunCycle(kNow);
  std::vector<Engine::Question> questions(1000);
  for (size_t q = 0; q < questions.size(); ++q) {
    PodGroupSpec& group = questions[q].group;
    group.name = "asked";
    group.namespace_name = "ns";
    group.queue = "q1";
    group.min_members = 8;
    PodSpec pod;
    pod.shape = GpuShape(static_cast<int>(1 + q % 8));
    for (int i = 0; i < 8; ++i) {
      pod.uid = pod.name = Padded("w", i);
      questions[q].pods.push_back(pod);
    }
  }
  int64_t yes = 0;
  for (auto _ : state) {
    const auto verdicts = engine.WouldAllocate(questions, kNow);
    yes = std::count(verdicts.begin(), verdicts.end(), true);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(questions.size()));
  state.counters["yes"] = static_cast<double>(yes);
}
BENCHMARK(E11_WhatIf)->Unit(benchmark::kMillisecond)->Iterations(5);

double HeapBytes() { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); }

// A hundred thousand nodes and a million waiting pods in gangs of 100, of which eight in ten fit;
// one full cycle with all actions.
void E12_Huge(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  const double before = HeapBytes();
  Engine engine = Fleet(nodes, 8, FourQueues(8.0 * nodes));
  const double with_nodes = HeapBytes();
  const auto one = GpuShape(1);
  for (int i = 0; i < nodes / 10; ++i) {
    GangOptions options{
        .queue = "q" + std::to_string(i % 4), .pods = 100, .min = 100, .shape = one};
    PutGang(engine, Padded("g", i), options);
  }
  const double with_pods = HeapBytes();
  size_t placed = 0;
  for (auto _ : state) placed += engine.RunCycle(kNow).binds.size();
  state.counters["placed"] = static_cast<double>(placed);
  state.counters["bytes_per_node"] = (with_nodes - before) / nodes;
  state.counters["bytes_per_pod"] = (with_pods - with_nodes) / (10.0 * nodes);
  state.counters["heap_mb"] = (HeapBytes() - before) / 1e6;
}
BENCHMARK(E12_Huge)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace coppice::engine
