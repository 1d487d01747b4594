#include <fmt/format.h>

#include <set>

#include "engine/actions/victim_actions.h"
#include "engine/scale/bench_cycles.h"
#include "engine/tests/cycle_testing.h"

// The shapes of KAI's own benchmarks (docs/behaviour/scheduler.md S-109). COPPICE_NODES and
// COPPICE_JOBS override their sizes.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// Another number of nodes scales the jobs by the same factor, unless their number is also given.
Shape::Size Sized(Shape::Size size) {
  const auto nodes = static_cast<int>(Given("COPPICE_NODES"));
  const auto jobs = static_cast<int>(Given("COPPICE_JOBS"));
  if (nodes) size = {nodes, std::max(1, size.jobs * nodes / size.nodes)};
  if (jobs) size.jobs = jobs;
  return size;
}

void RunShape(benchmark::State& state, const Shape& shape, Shape::Size size) {
  Cycle(state, size.nodes, [&] { return shape.make(size); });
}

const bool kRegistered = [] {
  for (const Shape& shape : KaiShapes()) {
    std::set<std::string> names;
    for (const Shape::Size& each : shape.sizes) {
      const Shape::Size size = Sized(each);
      const std::string name = fmt::format("{}/{}x{}", shape.name, size.nodes, size.jobs);
      if (!names.insert(name).second) continue;
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&shape, size](auto& state) { RunShape(state, shape, size); })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
    }
  }
  return true;
}();

// Sorts all victims of a search, worst first, and takes the first.
void OrderedVictimsQueue(benchmark::State& state) {
  const int victims = static_cast<int>(state.range(1));
  OpenedCycle cycle;
  cycle.cluster.PutQueue(TopQueue("team"));
  for (int i = 0; i < state.range(0); ++i) cycle.cluster.PutNode(GpuNode(Padded("n", i), 8));
  for (int i = 0; i < victims; ++i) {
    PutGang(cycle.cluster, Padded("v", i),
            {.shape = GpuShape(1), .node = Padded("n", static_cast<int>(i % state.range(0)))});
  }
  ActionContext& context = cycle.Open();
  for (auto _ : state) {
    context.lists = {};
    context.lists.Refresh(context.session);
    JobOrder order(context.session, {.victims = true});
    order.Use(context.lists.active(),
              std::make_shared<std::vector<char>>(cycle.cluster.jobs().size(), 1));
    benchmark::DoNotOptimize(order.Pop());
  }
}
BENCHMARK(OrderedVictimsQueue)->Args({125, 1000})->Unit(benchmark::kMicrosecond)->Iterations(50);

// Whether a task fits a node: whole GPUs, shares, memory, MIG, none.
void IsTaskAllocatable(benchmark::State& state) {
  OpenedCycle cycle;
  cycle.cluster.PutQueue(TopQueue("team"));
  NodeSpec node = GpuNode("n", 8, {{"nvidia.com/gpu.memory", "80000"}});
  node.allocatable["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(4);
  cycle.cluster.PutNode(node);
  auto memory = GpuShape(0), mig = GpuShape(0);
  memory->annotations["gpu-memory"] = "20000";
  mig->containers[0].requests["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(1);
  const std::shared_ptr<PodShape> shapes[] = {
      GpuShape(0), GpuShape(1), GpuShape(8), GpuShape(9), FractionShape("0.5"), memory, mig};
  PutGang(cycle.cluster, "g", {.shape = shapes[state.range(0)]});
  cycle.Open();
  const TaskId task = cycle.cluster.FindTask("g-0");
  const NodeId id = cycle.cluster.FindNode("n");
  for (auto _ : state) benchmark::DoNotOptimize(cycle.cluster.FitsIdle(task, id));
}
BENCHMARK(IsTaskAllocatable)->DenseRange(0, 6);

void ResourceVector(benchmark::State& state) {
  Amounts a(state.range(0), 3), b(state.range(0), 5);
  for (auto _ : state) {
    benchmark::DoNotOptimize(LessEqual(a, b));
    AddTo(a, b);
    MaxTo(a, b);
  }
}
BENCHMARK(ResourceVector)->Arg(4)->Arg(8)->Arg(16)->Arg(64);

// Updates a pod: KAI clones what it knows about it, we replace it.
void PodTold(benchmark::State& state) {
  OpenedCycle cycle;
  cycle.cluster.PutQueue(TopQueue("team"));
  PodSpec pod;
  pod.uid = pod.name = "p";
  pod.shape = GpuShape(static_cast<int>(state.range(0)));
  for (auto _ : state) cycle.cluster.PutPod(pod);
}
BENCHMARK(PodTold)->Arg(0)->Arg(1)->Arg(8);

// A cycle without anything to decide, with pending bind requests.
void OpenCloseSession(benchmark::State& state) {
  Engine engine = Fleet(static_cast<int>(state.range(0)), 8, FourQueues(8.0 * 1000));
  PodSpec pod;
  pod.shape = GpuShape(1);
  pod.status = TaskStatus::kBinding;
  for (int i = 0; i < state.range(1); ++i) {
    pod.uid = pod.name = Padded("p", i);
    pod.node = Padded("n", static_cast<int>(i % state.range(0)));
    engine.PutPod(pod);
  }
  for (auto _ : state) {
    engine.OpenCycle(kNow);
    benchmark::DoNotOptimize(engine.CloseCycle());
  }
}
BENCHMARK(OpenCloseSession)->Args({1000, 5000})->Unit(benchmark::kMicrosecond)->Iterations(50);

}  // namespace
}  // namespace coppice::engine
