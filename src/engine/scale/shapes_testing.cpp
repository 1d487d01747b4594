#include "engine/scale/shapes_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace coppice::engine::testing {
namespace {

using Size = Shape::Size;

struct Load {
  bool mixed = false;  // Every other job is already running.
  int queues = 4;
  int pods = 1;
};

std::vector<QueueSpec> Queues(int count, double total) {
  if (count == 4) return FourQueues(total);
  std::vector<QueueSpec> queues{TopQueue("d", total)};
  for (int i = 0; i < count; ++i) {
    queues.push_back(ChildQueue("q" + std::to_string(i), "d", total / count));
  }
  return queues;
}

Engine JobsOn(const std::vector<std::string>& actions, Size size, const Load& load) {
  Engine engine = Fleet(size.nodes, 8, Queues(load.queues, 8.0 * size.nodes), 16, actions);
  const auto shape = GpuShape(1);
  for (int i = 0; i < size.jobs; ++i) {
    GangOptions options{.queue = "q" + std::to_string(i / 2 % load.queues),
                        .pods = load.pods,
                        .shape = shape,
                        .priority = i % 2 == 0 ? 50 : 75};
    const bool runs = load.mixed && i % 2 == 0 && i / 2 < 8 * size.nodes;
    if (runs) options.node = Padded("n", i / 2 % size.nodes);
    PutGang(engine, Padded("j", i), options);
  }
  return engine;
}

// Every GPU is used by a job with one GPU in queue q0; q1 wants some.
Engine FullFleet(int nodes, double victims_quota, double wanted_quota,
                 const GangOptions& victims = {}) {
  std::vector<QueueSpec> queues{TopQueue("d"), ChildQueue("q0", "d", victims_quota),
                                ChildQueue("q1", "d", wanted_quota)};
  Engine engine = Fleet(nodes, 8, queues);
  GangOptions options = victims;
  options.queue = "q0";
  options.shape = GpuShape(1);
  for (int i = 0; i < 8 * nodes; ++i) {
    options.node = Padded("n", i / 8);
    PutGang(engine, Padded("v", i), options);
  }
  return engine;
}

Engine ReclaimLargeJobs(Size size) {
  Engine engine = FullFleet(size.nodes, 0, 8.0 * size.nodes);
  PutGang(engine, "large", {.queue = "q1", .pods = size.jobs, .shape = GpuShape(8)});
  return engine;
}

void PutSingles(Engine& engine, int jobs) {
  const auto one = GpuShape(1);
  for (int i = 0; i < jobs; ++i) {
    PutGang(engine, Padded("p", i), {.queue = "q1", .shape = one});
  }
}

Engine ReclaimManySingles(Size size) {
  Engine engine = FullFleet(size.nodes, 4.0 * size.nodes, 4.0 * size.nodes);
  PutSingles(engine, size.jobs);
  return engine;
}

// No job has run long enough to be evicted.
Engine ManySinglesWithMinRuntime(Size size) {
  const base::Time started{std::chrono::hours(24 * 365 * 100)};
  Engine engine = FullFleet(size.nodes, 4.0 * size.nodes, 4.0 * size.nodes, {.creation = started});
  QueueSpec queue = ChildQueue("q0", "d", 4.0 * size.nodes);
  queue.reclaim_min_runtime = std::chrono::hours(1);
  engine.PutQueue(queue);
  PutSingles(engine, size.jobs);
  return engine;
}

// A gang that lacks one GPU of quota.
Engine Unschedulable(Size size, GangOptions options) {
  const double wanted = 8.0 * size.jobs;
  Engine engine = FullFleet(size.nodes, 8.0 * size.nodes - wanted + 1, wanted);
  engine.PutTopology(ThreeLevels());
  options.queue = "q1";
  options.pods = size.jobs;
  if (!options.shape) options.shape = GpuShape(8);
  PutGang(engine, "gang", options);
  return engine;
}

Engine UnschedulableApart(Size size) {
  auto apart = GpuShape(8);
  apart->labels["app"] = "gang";
  apart->affinity.required_anti_pods.push_back(
      {LabelSelector{{{"app", "gang"}}, {}}, {}, {}, "host"});
  return Unschedulable(size, {.shape = apart});
}

Engine UnschedulableInRack(Size size) {
  GangOptions options;
  options.topology = TopologyConstraint{"t", "topo/rack", ""};
  return Unschedulable(size, options);
}

// Three pods whose volume is missing, on nodes without GPUs that are full of other pods.
Engine ReclaimWithMissingPvcJobs(Size size) {
  Engine engine =
      Fleet(size.nodes, 0, {TopQueue("d"), ChildQueue("q0", "d", 0), ChildQueue("q1", "d")});
  const auto plain = GpuShape(0);
  for (int i = 0; i < size.jobs; ++i) {
    PutGang(engine, Padded("v", i),
            {.queue = "q0", .shape = plain, .node = Padded("n", i % size.nodes)});
  }
  auto missing = GpuShape(0);
  missing->volume_claims = {{"nowhere", false}};
  for (int i = 0; i < 3; ++i) PutGang(engine, Padded("p", i), {.queue = "q1", .shape = missing});
  return engine;
}

const std::vector<Size> kSmallMedium{{10, 50}, {50, 200}};
const std::vector<Size> kAllSizes{{10, 50}, {50, 200}, {100, 500}};

}  // namespace

std::string Padded(const char* prefix, int number) {
  return fmt::format("{}{:06}", prefix, number);
}

Engine Fleet(int nodes, int gpus, const std::vector<QueueSpec>& queues, int rack,
             const std::vector<std::string>& actions) {
  Configuration configuration = Configuration::Defaults();
  configuration.max_consolidation_preemptees = -1;
  if (!actions.empty()) configuration.actions = actions;
  const char* placement = std::getenv("COPPICE_PLACEMENT");
  for (PluginConfig& plugin : configuration.plugins) {
    if (placement && plugin.name == "nodeplacement") plugin.arguments["gpu"] = placement;
  }
  Engine engine(configuration);
  for (const auto& queue : queues) engine.PutQueue(queue);
  for (int i = 0; i < nodes; ++i) {
    engine.PutNode(GpuNode(Padded("n", i), gpus,
                           {{"topo/rack", Padded("r", i / rack)},
                            {"topo/block", Padded("b", i / (8 * rack))},
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

const TopologySpec& ThreeLevels() {
  static const TopologySpec topology{"t", {{"topo/block", ""}, {"topo/rack", ""}, {"host", ""}}};
  return topology;
}

std::span<const Shape> KaiShapes() {
  static const std::vector<Shape> shapes{
      {"Allocate", kAllSizes, [](Size size) { return JobsOn({"allocate"}, size, {}); }},
      {"Reclaim", kSmallMedium,
       [](Size size) { return JobsOn({"reclaim"}, size, {.mixed = true}); }},
      {"Preempt", kSmallMedium,
       [](Size size) { return JobsOn({"preempt"}, size, {.mixed = true}); }},
      {"Consolidation", kSmallMedium,
       [](Size size) { return JobsOn({"consolidation"}, size, {.mixed = true}); }},
      {"FullSchedulingCycle", kAllSizes,
       [](Size size) { return JobsOn({}, size, {.mixed = true}); }},
      {"ManyQueues",
       {{50, 200}},
       [](Size size) { return JobsOn({}, size, {.mixed = true, .queues = 20}); }},
      {"GangScheduling",
       {{50, 100}},
       [](Size size) { return JobsOn({"allocate"}, size, {.pods = 4}); }},
      {"ReclaimLargeJobs", {{50, 25}, {200, 100}, {500, 250}, {1000, 500}}, ReclaimLargeJobs},
      {"ReclaimManySingles",
       {{100, 800}, {200, 1600}, {500, 4000}, {1000, 8000}},
       ReclaimManySingles},
      {"ManySinglesWithMinRuntime", {{500, 4000}}, ManySinglesWithMinRuntime},
      {"Unschedulable",
       {{10, 10}, {50, 10}, {1000, 10}},
       [](Size size) { return Unschedulable(size, {}); }},
      {"UnschedulableAntiAffinity", {{100, 10}, {1000, 10}}, UnschedulableApart},
      {"UnschedulableTopology", {{100, 10}, {1000, 10}}, UnschedulableInRack},
      {"ReclaimWithMissingPvcJobs", {{1500, 7370}}, ReclaimWithMissingPvcJobs},
  };
  return shapes;
}

const Shape& FindShape(std::string_view name) {
  const auto shapes = KaiShapes();
  return *std::find_if(shapes.begin(), shapes.end(),
                       [&](const Shape& shape) { return shape.name == name; });
}

}  // namespace coppice::engine::testing
