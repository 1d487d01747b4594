// The work for a set on one thread and a virtual clock: its instructions repeat from run to run.
// docs/notes/benchmarks.md shows how to count them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "api/well_known.h"
#include "operator/tests/rig/world_testing.h"

namespace coppice::operators {
namespace {

World::Options DefaultScheduler() {
  World::Options options;
  options.config.backends.profiles = {{.name = "default-scheduler", .backend = "default"}};
  return options;
}

std::string SteppedSetOf(int64_t replicas, int64_t pods) {
  return fmt::format(
      "{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{name: a}}, spec: "
      "{{replicas: {}, template: {{terminationDelay: 4h, cliqueStartupType: "
      "CliqueStartupTypeAnyOrder, cliques: [{{name: w, spec: {{roleName: w, replicas: {}, "
      "minAvailable: {}, podSpec: {{containers: [{{name: main, image: i, resources: {{limits: "
      "{{nvidia.com/gpu: '1'}}}}}}]}}}}}}]}}}}}}",
      replicas, pods, pods);
}

// Until every pod is ready and every status is written. Callgrind counts what happens in here.
[[gnu::noinline]] void CountedWork(World& world, const std::string& set) {
  world.Create(set);
  world.RunFor(std::chrono::seconds(60));
}

// A set with range(0) replicas and one clique of range(1) pods.
void SteppedSet(benchmark::State& state) {
  for (auto _ : state) {
    World world(DefaultScheduler());
    const int64_t before = world.writes();
    CountedWork(world, SteppedSetOf(state.range(0), state.range(1)));
    state.counters["writes"] = static_cast<double>(world.writes() - before);
    state.counters["pods"] = static_cast<double>(world.List(api::kPods).size());
  }
}
BENCHMARK(SteppedSet)
    ->Args({50, 2})
    ->Args({500, 2})
    ->Args({100, 10})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::operators
