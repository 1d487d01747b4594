#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>

#include "engine/cluster_testing.h"
#include "engine/engine.h"
#include "engine/fair_share.h"

// The workloads E1-E12 (docs/benchmarks.md). State is fed outside the timed part.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

const base::Time kNow{std::chrono::hours(24 * 365 * 56)};

std::string Padded(const char* prefix, int i) { return fmt::format("{}{:06}", prefix, i); }

Engine Cluster(int nodes, int gpus, const std::vector<QueueSpec>& queues) {
  Configuration configuration = Configuration::Defaults();
  configuration.max_consolidation_preemptees = -1;
  Engine engine(configuration);
  for (const auto& queue : queues) engine.PutQueue(queue);
  for (int i = 0; i < nodes; ++i) {
    engine.PutNode(GpuNode(Padded("n", i), gpus,
                           {{"topo/rack", Padded("r", i / 16)},
                            {"topo/block", Padded("b", i / 128)},
                            {"host", Padded("n", i)}}));
  }
  return engine;
}

std::vector<QueueSpec> FourQueues(double total) {
  std::vector<QueueSpec> queues{TopQueue("d0", total / 2, -1, total / 2),
                                TopQueue("d1", total / 2, -1, total / 2)};
  for (int i = 0; i < 4; ++i) {
    queues.push_back(ChildQueue("q" + std::to_string(i), i < 2 ? "d0" : "d1", total / 4));
  }
  return queues;
}

// What the decisions are worth, beside how fast they come.
void Quality(benchmark::State& state, const Engine& engine, const CycleResult& result, int nodes) {
  double asked = 0, idle = 0, split = 0;
  for (const auto& bind : result.binds)
    asked += static_cast<double>(bind.gpu_count) * bind.gpu_portion;
  double planned = asked;
  for (const auto& plan : result.pipelined) planned += engine.FindPod(plan.pod.uid)->gpus_requested;
  for (int i = 0; i < nodes; ++i) {
    const auto node = engine.FindNode(Padded("n", i));
    idle += node->idle_gpus;
    split += node->used_gpus > 0 ? node->idle_gpus : 0;
  }
  state.counters["placed"] = static_cast<double>(result.binds.size());
  state.counters["planned"] = static_cast<double>(result.pipelined.size());
  state.counters["evicted"] = static_cast<double>(result.evictions.size());
  state.counters["gpus"] = asked;
  state.counters["victims_per_gpu"] =
      planned > 0 ? static_cast<double>(result.evictions.size()) / planned : 0;
  // Idle GPUs on nodes that are in use, of all idle ones.
  state.counters["fragmentation"] = idle > 0 ? split / idle : 0;
}

template <typename Prepare>
void Cycle(benchmark::State& state, int nodes, Prepare prepare) {
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = std::make_unique<Engine>(prepare());
    state.ResumeTiming();
    const CycleResult result = engine->RunCycle(kNow);
    state.PauseTiming();
    Quality(state, *engine, result, nodes);
    engine.reset();
    state.ResumeTiming();
  }
}

void E1_Fill(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cycle(state, nodes, [&] {
    Engine engine = Cluster(nodes, 8, FourQueues(8.0 * nodes));
    const auto shape = GpuShape(1);
    for (int i = 0; i < 8 * nodes; ++i) {
      PutGang(engine, Padded("j", i), {.queue = "q" + std::to_string(i % 4), .shape = shape});
    }
    return engine;
  });
}
BENCHMARK(E1_Fill)->Arg(50)->Arg(500)->Arg(5000)->Unit(benchmark::kMillisecond)->Iterations(3);

enum Placement { kAnywhere, kPreferRack, kRequireBlock, kRequireRack };

std::optional<TopologyConstraint> ConstraintOf(int64_t placement) {
  switch (placement) {
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

const TopologySpec kThreeLevels{"t", {{"topo/block", ""}, {"topo/rack", ""}, {"host", ""}}};

// One gang that needs every node, or one block of 128, or one rack of 16.
void E2_OneGang(benchmark::State& state) {
  const int sizes[] = {512, 512, 128, 16};
  Cycle(state, 512, [&] {
    Engine engine = Cluster(512, 8, FourQueues(4096));
    engine.PutTopology(kThreeLevels);
    GangOptions options{.queue = "q0", .pods = sizes[state.range(0)], .shape = GpuShape(8)};
    options.topology = ConstraintOf(state.range(0));
    PutGang(engine, "gang", options);
    return engine;
  });
}
BENCHMARK(E2_OneGang)->DenseRange(0, 3)->Unit(benchmark::kMillisecond)->Iterations(5);

void E3_Gangs(benchmark::State& state) {
  Cycle(state, 5000, [&] {
    Engine engine = Cluster(5000, 8, FourQueues(40000));
    const auto shape = GpuShape(1);
    for (int i = 0; i < 3000; ++i) {
      PutGang(engine, Padded("s", i),
              {.queue = "q" + std::to_string(i % 4), .pods = 3, .shape = shape});
    }
    for (int i = 0; i < 9; ++i) {
      PutGang(engine, Padded("l", i),
              {.queue = "q" + std::to_string(i % 4), .pods = 1000, .shape = shape});
    }
    return engine;
  });
}
BENCHMARK(E3_Gangs)->Unit(benchmark::kMillisecond)->Iterations(3);

void E4_ReclaimLarge(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cycle(state, nodes, [&] {
    Engine engine =
        Cluster(nodes, 8,
                {TopQueue("d", -1), ChildQueue("q0", "d", 0), ChildQueue("q1", "d", 8.0 * nodes)});
    const auto one = GpuShape(1);
    for (int i = 0; i < 8 * nodes; ++i) {
      PutGang(engine, Padded("v", i), {.queue = "q0", .shape = one, .node = Padded("n", i / 8)});
    }
    PutGang(engine, "large", {.queue = "q1", .pods = nodes / 2, .shape = GpuShape(8)});
    return engine;
  });
}
BENCHMARK(E4_ReclaimLarge)
    ->Arg(50)
    ->Arg(200)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

void E5_ManySingles(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cycle(state, nodes, [&] {
    Engine engine = Cluster(nodes, 8,
                            {TopQueue("d", -1), ChildQueue("q0", "d", 4.0 * nodes),
                             ChildQueue("q1", "d", 4.0 * nodes)});
    const auto one = GpuShape(1);
    for (int i = 0; i < 8 * nodes; ++i) {
      PutGang(engine, Padded("v", i), {.queue = "q0", .shape = one, .node = Padded("n", i / 8)});
      PutGang(engine, Padded("p", i), {.queue = "q1", .shape = one});
    }
    return engine;
  });
}
BENCHMARK(E5_ManySingles)->Arg(200)->Arg(500)->Unit(benchmark::kMillisecond)->Iterations(1);

// A gang that lacks one GPU of quota; also where its pods refuse each other's node, and where they
// must share a rack.
void E6_Refuse(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cycle(state, nodes, [&] {
    Engine engine = Cluster(
        nodes, 8,
        {TopQueue("d", -1), ChildQueue("q0", "d", 8.0 * nodes - 79), ChildQueue("q1", "d", 80)});
    engine.PutTopology(kThreeLevels);
    const auto one = GpuShape(1);
    for (int i = 0; i < 8 * nodes; ++i) {
      PutGang(engine, Padded("v", i), {.queue = "q0", .shape = one, .node = Padded("n", i / 8)});
    }
    GangOptions options{.queue = "q1", .pods = 10, .shape = GpuShape(8)};
    if (state.range(1) == 1) {
      auto apart = GpuShape(8);
      apart->labels["app"] = "ten";
      apart->affinity.required_anti_pods.push_back(
          {LabelSelector{{{"app", "ten"}}, {}}, {}, {}, "host"});
      options.shape = apart;
    }
    if (state.range(1) == 2) options.topology = ConstraintOf(kRequireRack);
    PutGang(engine, "ten", options);
    return engine;
  });
}
BENCHMARK(E6_Refuse)
    ->Args({10, 0})
    ->Args({50, 0})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({1000, 2})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

// Three GPUs of every node are taken by pods that can move; gangs want six on one node.
void E7_Consolidate(benchmark::State& state) {
  constexpr int kNodes = 500;
  Cycle(state, kNodes, [&] {
    Engine engine = Cluster(kNodes, 8, FourQueues(8.0 * kNodes));
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

void E8_FairShare(benchmark::State& state) {
  std::vector<ShareRequest> queues(1000);
  for (int i = 0; i < 1000; ++i) {
    queues[i] = {.deserved = 1, .weight = 1.0 + i % 7, .request = 100.0 + i, .name_rank = i};
  }
  for (auto _ : state) {
    auto copy = queues;
    DivideFairShare(10000, 1, 1, copy);
    benchmark::DoNotOptimize(copy.data());
  }
}
BENCHMARK(E8_FairShare)->Unit(benchmark::kMicrosecond);

void E9_Steady(benchmark::State& state) {
  Engine engine = Cluster(5000, 8, FourQueues(40000));
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

void E10_Fractions(benchmark::State& state) {
  Cycle(state, 500, [&] {
    Engine engine = Cluster(500, 8, FourQueues(4000));
    const auto half = FractionShape("0.5");
    for (int i = 0; i < 4000; ++i) {
      PutGang(engine, Padded("j", i), {.queue = "q" + std::to_string(i % 4), .shape = half});
    }
    return engine;
  });
}
BENCHMARK(E10_Fractions)->Unit(benchmark::kMillisecond)->Iterations(1);

// Verdicts about gangs that nobody has asked for yet, against a cluster that is half full.
void E11_WhatIf(benchmark::State& state) {
  Engine engine = Cluster(500, 8, FourQueues(4000));
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

// A hundred thousand nodes and a million pods, three quarters of which run; one full cycle.
void E12_Huge(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  const double before = HeapBytes();
  Engine engine = Cluster(nodes, 8, FourQueues(8.0 * nodes));
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
