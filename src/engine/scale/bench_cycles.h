#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/scale/shapes_testing.h"
#include "engine/tests/cluster_testing.h"

// Shared code of the cycle benchmarks: one timed cycle, and sizes that the environment may set.

namespace coppice::engine::testing {

// Reports the quality of the decisions, besides their speed.
inline void Quality(benchmark::State& state, const Engine& engine, const CycleResult& result,
                    int nodes) {
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
  state.counters["idle_gpus"] = idle;
  // The fraction of idle GPUs that are on nodes in use.
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

// A number from the environment; 0 if not set.
inline int64_t Given(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoll(text) : 0;
}

// These numbers of nodes, or COPPICE_NODES instead.
template <int64_t... kNodes>
void Nodes(benchmark::internal::Benchmark* bench) {
  if (const int64_t given = Given("COPPICE_NODES")) {
    bench->Arg(given);
    return;
  }
  for (int64_t nodes : {kNodes...}) bench->Arg(nodes);
}

}  // namespace coppice::engine::testing
