#include <benchmark/benchmark.h>

#include <algorithm>

#include "engine/answers/what_if.h"
#include "engine/inputs/recorded_cycle.h"
#include "engine/inputs/recorder.h"
#include "engine/scale/bench_cycles.h"

// What answers about the future cost, and what recording decisions costs (docs/benchmarks.md).

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

std::vector<QueueSpec> OneTeam() { return {TopQueue("q0"), TopQueue("q1")}; }

// A half-full cluster of 500 nodes that keeps its inputs.
Engine HalfFull() {
  Engine engine(Configuration::Defaults());
  engine.KeepInputs();
  for (const QueueSpec& queue : OneTeam()) engine.PutQueue(queue);
  for (int i = 0; i < 500; ++i) engine.PutNode(GpuNode(Padded("n", i), 8));
  const auto one = GpuShape(1);
  for (int i = 0; i < 2000; ++i) {
    PutGang(engine, Padded("r", i), {.queue = "q0", .shape = one, .node = Padded("n", i / 4)});
  }
  engine.RunCycle(kNow);
  return engine;
}

WhatIf AskedGang(int pods, int gpus) {
  WhatIf question;
  Engine::Question& asked = question.submit.emplace_back();
  asked.group.name = "asked";
  asked.group.namespace_name = "ns";
  asked.group.queue = "q1";
  asked.group.min_members = pods;
  const auto shape = GpuShape(gpus);
  for (int i = 0; i < pods; ++i) {
    PodSpec pod;
    pod.uid = pod.name = Padded("w", i);
    pod.pod_group = "asked";
    pod.shape = shape;
    asked.pods.push_back(pod);
  }
  return question;
}

// Small questions, each with the place of every pod as its answer.
void E13_SmallQuestions(benchmark::State& state) {
  Engine engine = HalfFull();
  std::vector<WhatIf> questions;
  for (int i = 0; i < 1000; ++i) questions.push_back(AskedGang(8, 1 + i % 4));
  int64_t runs = 0;
  for (auto _ : state) {
    const auto answers = AskWhatIf(engine, questions, kNow);
    runs = std::count_if(answers->begin(), answers->end(),
                         [](const WhatIfAnswer& answer) { return answer.runs; });
  }
  state.SetItemsProcessed(state.iterations() * 1000);
  state.counters["runs"] = static_cast<double>(runs);
}
BENCHMARK(E13_SmallQuestions)->Unit(benchmark::kMillisecond)->Iterations(5);

// Questions that need a copy of the cluster and its next cycles: a drain, and a gang that evicts.
void E13_LargeQuestion(benchmark::State& state) {
  Engine engine = HalfFull();
  WhatIf question = AskedGang(300, 8);
  if (state.range(0) == 0) question = {.drain = {Padded("n", 3)}};
  for (auto _ : state) benchmark::DoNotOptimize(AskWhatIf(engine, {question}, kNow));
}
BENCHMARK(E13_LargeQuestion)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(5);

// Cycles in which one gang comes and one is gone, with (1) and without (0) a decision log's
// recorder; and (2) cycles that bind 1,000 pods each, with it.
void E14_Recorded(benchmark::State& state) {
  const bool recorded = state.range(0) != 0;
  const int gangs = static_cast<int>(state.range(1));
  Engine engine(Configuration::Defaults());
  Recorder recorder;
  CycleDescriber describer;
  if (recorded) {
    engine.KeepInputs();
    engine.SetRecorder(&recorder);
  }
  for (const QueueSpec& queue : OneTeam()) engine.PutQueue(queue);
  for (int i = 0; i < 5000; ++i) engine.PutNode(GpuNode(Padded("n", i), 8));
  engine.RunCycle(kNow);
  const auto one = GpuShape(1);
  int next = 0;
  size_t bytes = 0;
  for (auto _ : state) {
    for (int i = 0; i < gangs; ++i) {
      const std::string name = Padded("g", next % (10 * gangs));
      engine.RemovePod(name + "-0");
      PutGang(engine, name, {.queue = "q1", .shape = one});
      ++next;
    }
    const CycleResult result = engine.RunCycle(kNow);
    if (!recorded) continue;
    recorder.writer().Write(describer.Describe(kNow, result));
    bytes += recorder.Take().size();
  }
  state.counters["bytes_per_cycle"] =
      static_cast<double>(bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(E14_Recorded)
    ->Args({0, 1})
    ->Args({1, 1})
    ->Args({0, 1000})
    ->Args({1, 1000})
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(200);

}  // namespace
}  // namespace coppice::engine
