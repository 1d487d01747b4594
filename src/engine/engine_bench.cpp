#include <benchmark/benchmark.h>

#include "engine/cluster_testing.h"
#include "engine/engine.h"
#include "engine/fair_share.h"

// The workloads E1-E12 (docs/benchmarks.md). State is fed outside the timed part.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

const base::Time kNow{std::chrono::hours(24 * 365 * 56)};

std::string Padded(const char* prefix, int i) { return fmt::format("{}{:06}", prefix, i); }

Engine Cluster(int nodes, int gpus, const std::vector<QueueSpec>& queues,
               std::vector<std::string> actions = {}) {
  Configuration configuration = Configuration::Defaults();
  if (!actions.empty()) configuration.actions = std::move(actions);
  Engine engine(configuration);
  for (const auto& queue : queues) engine.PutQueue(queue);
  for (int i = 0; i < nodes; ++i) {
    engine.PutNode(
        GpuNode(Padded("n", i), gpus,
                {{"topo/rack", Padded("r", i / 16)}, {"topo/block", Padded("b", i / 128)}}));
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

template <typename Prepare>
void Cycle(benchmark::State& state, Prepare prepare) {
  size_t placed = 0, evicted = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = std::make_unique<Engine>(prepare());
    state.ResumeTiming();
    const CycleResult result = engine->RunCycle(kNow);
    state.PauseTiming();
    placed = result.binds.size();
    evicted = result.evictions.size();
    engine.reset();
    state.ResumeTiming();
  }
  state.counters["placed"] = static_cast<double>(placed);
  state.counters["evicted"] = static_cast<double>(evicted);
}

void E1_Fill(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cycle(state, [&] {
    Engine engine = Cluster(nodes, 8, FourQueues(8.0 * nodes));
    const auto shape = GpuShape(1);
    for (int i = 0; i < 8 * nodes; ++i) {
      PutGang(engine, Padded("j", i), {.queue = "q" + std::to_string(i % 4), .shape = shape});
    }
    return engine;
  });
}
BENCHMARK(E1_Fill)->Arg(500)->Arg(5000)->Unit(benchmark::kMillisecond)->Iterations(3);

void E2_OneGang(benchmark::State& state) {
  Cycle(state, [&] {
    Engine engine = Cluster(512, 8, FourQueues(4096));
    engine.PutTopology({"t", {{"topo/block", ""}, {"topo/rack", ""}}});
    GangOptions options{.queue = "q0", .pods = 512, .shape = GpuShape(8)};
    if (state.range(0)) options.topology = TopologyConstraint{"t", "", "topo/rack"};
    PutGang(engine, "gang", options);
    return engine;
  });
}
BENCHMARK(E2_OneGang)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(5);

void E3_Gangs(benchmark::State& state) {
  Cycle(state, [&] {
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
  Cycle(state, [&] {
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
BENCHMARK(E4_ReclaimLarge)->Arg(200)->Arg(1000)->Unit(benchmark::kMillisecond)->Iterations(1);

void E5_ManySingles(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cycle(state, [&] {
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

void E6_Refuse(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cycle(state, [&] {
    Engine engine = Cluster(
        nodes, 8,
        {TopQueue("d", -1), ChildQueue("q0", "d", 8.0 * nodes - 79), ChildQueue("q1", "d", 80)});
    const auto one = GpuShape(1);
    for (int i = 0; i < 8 * nodes; ++i) {
      PutGang(engine, Padded("v", i), {.queue = "q0", .shape = one, .node = Padded("n", i / 8)});
    }
    PutGang(engine, "ten", {.queue = "q1", .pods = 10, .shape = GpuShape(8)});
    return engine;
  });
}
BENCHMARK(E6_Refuse)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond)->Iterations(1);

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
  Cycle(state, [&] {
    Engine engine = Cluster(500, 8, FourQueues(4000));
    const auto half = FractionShape("0.5");
    for (int i = 0; i < 4000; ++i) {
      PutGang(engine, Padded("j", i), {.queue = "q" + std::to_string(i % 4), .shape = half});
    }
    return engine;
  });
}
BENCHMARK(E10_Fractions)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace coppice::engine
