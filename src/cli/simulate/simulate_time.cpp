#include "cli/simulate/simulate_time.h"

#include <fmt/format.h>

#include <fstream>

#include "api/kai/names.h"
#include "cli/common/fail.h"
#include "cli/common/files.h"
#include "engine/engine.h"
#include "services/scheduler/usage/usage_history.h"

namespace coppice::cli {
namespace {

using services::scheduler::UsageConfig;
using services::scheduler::UsageHistory;

constexpr char kNamespace[] = "simulation";

// The state of the cluster between two cycles.
class World {
 public:
  explicit World(const TimeSimulation& simulation)
      : engine_(Configure(simulation)), history_(Remember(simulation)) {
    PutNodes(simulation);
    PutQueues(simulation);
    for (const auto& [queue, kind] : simulation.jobs) {
      for (int i = 0; i < kind.jobs; ++i) PutJob(queue, kind, i);
    }
  }

  std::vector<engine::QueueShare> Step() {
    now_ += std::chrono::seconds(1);
    if (const auto usage = history_.Fetch(now_)) engine_.SetUsage(*usage);
    const engine::CycleResult result = engine_.RunCycle(now_);
    CarryOut(result);
    Record();
    return result.queues;
  }

  double Allocated(const std::string& queue) const {
    double sum = 0;
    for (const auto& [uid, pod] : pods_) {
      const bool runs = pod.spec.status == engine::TaskStatus::kRunning;
      if (runs && Within(pod.queue, queue)) sum += pod.gpus;
    }
    return sum;
  }

 private:
  struct Pod {
    engine::PodSpec spec;
    std::string queue;
    int gpus = 0;
  };

  static engine::Configuration Configure(const TimeSimulation& simulation) {
    auto configuration = engine::Configuration::Defaults();
    for (auto& plugin : configuration.plugins) {
      if (plugin.name == "proportion") {
        plugin.arguments["kValue"] = fmt::format("{}", simulation.k_value);
      }
    }
    return configuration;
  }

  static UsageConfig Remember(const TimeSimulation& simulation) {
    UsageConfig config;
    config.resolution = std::chrono::seconds(1);
    config.window_size = std::chrono::seconds(simulation.window_size);
    if (simulation.half_life_period > 0) {
      config.half_life = std::chrono::duration_cast<base::Duration>(
          std::chrono::duration<double>(simulation.half_life_period));
    }
    return config;
  }

  void PutNodes(const TimeSimulation& simulation) {
    int number = 0;
    for (const auto& kind : simulation.nodes) {
      for (int i = 0; i < kind.count; ++i) {
        engine::NodeSpec node;
        node.name = fmt::format("node-{:05}", number++);
        node.allocatable = {
            {"cpu", base::Quantity::FromUnits(100'000)},
            {"memory", base::Quantity::FromUnits(int64_t{1} << 50)},
            {"pods", base::Quantity::FromUnits(100'000)},
            {std::string(api::kai::names::kGpuResource), base::Quantity::FromUnits(kind.gpus)}};
        engine_.PutNode(node);
        capacity_ += kind.gpus;
      }
    }
  }

  void PutQueues(const TimeSimulation& simulation) {
    for (const auto& kind : simulation.queues) {
      engine::QueueSpec queue;
      queue.name = kind.name;
      queue.parent = kind.parent;
      queue.priority = kind.priority;
      queue.cpu = queue.memory = {-1, -1, 1};
      queue.gpu = {kind.deserved_gpus, -1, kind.weight};
      engine_.PutQueue(queue);
      parents_[kind.name] = kind.parent;
    }
    // A parent that is not described has no bounds.
    for (const auto& kind : simulation.queues) {
      if (kind.parent.empty() || parents_.contains(kind.parent)) continue;
      engine::QueueSpec queue;
      queue.name = kind.parent;
      queue.cpu = queue.memory = queue.gpu = {-1, -1, 1};
      engine_.PutQueue(queue);
      parents_[kind.parent];
    }
  }

  void PutJob(const std::string& queue, const TimeSimulation::JobKind& kind, int number) {
    engine::PodGroupSpec group;
    group.name = fmt::format("{}-{:05}", queue, number);
    group.namespace_name = kNamespace;
    group.queue = queue;
    group.min_members = kind.pods;
    group.creation = now_ + std::chrono::milliseconds(number);
    engine_.PutPodGroup(group);
    auto shape = std::make_shared<engine::PodShape>();
    shape->namespace_name = kNamespace;
    shape->scheduler_name = engine_.configuration().scheduler_name;
    engine::ContainerSpec container;
    if (kind.gpus > 0) {
      container.requests[std::string(api::kai::names::kGpuResource)] =
          base::Quantity::FromUnits(kind.gpus);
    }
    shape->containers.push_back(container);
    for (int i = 0; i < kind.pods; ++i) {
      Pod pod;
      pod.spec.name = pod.spec.uid = fmt::format("{}-{:05}", group.name, i);
      pod.spec.pod_group = group.name;
      pod.spec.shape = shape;
      pod.queue = queue;
      pod.gpus = kind.gpus;
      engine_.PutPod(pod.spec);
      pods_[pod.spec.uid] = std::move(pod);
    }
  }

  // Before the next second, bound pods run and evicted pods wait again.
  void CarryOut(const engine::CycleResult& result) {
    const auto put = [&](const std::string& uid, engine::TaskStatus status,
                         const std::string& node) {
      engine::PodSpec& pod = pods_.at(uid).spec;
      pod.status = status;
      pod.node = node;
      engine_.PutPod(pod);
    };
    for (const auto& bind : result.binds) {
      put(bind.pod.uid, engine::TaskStatus::kRunning, bind.node);
    }
    for (const auto& evict : result.evictions) {
      put(evict.pod.uid, engine::TaskStatus::kPending, "");
    }
  }

  void Record() {
    UsageHistory::Sample sample;
    sample.time = now_;
    sample.capacity.gpu = capacity_;
    for (const auto& [queue, parent] : parents_) sample.queues[queue].gpu = Allocated(queue);
    history_.Record(std::move(sample));
  }

  bool Within(std::string queue, const std::string& ancestor) const {
    for (size_t steps = 0; steps <= parents_.size() && !queue.empty(); ++steps) {
      if (queue == ancestor) return true;
      const auto found = parents_.find(queue);
      queue = found == parents_.end() ? "" : found->second;
    }
    return false;
  }

  engine::Engine engine_;
  UsageHistory history_;
  base::Time now_{std::chrono::hours(24 * 365 * 56)};
  double capacity_ = 0;
  std::map<std::string, std::string> parents_;  // Parent of every queue.
  std::map<std::string, Pod> pods_;
};

base::Status Write(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return {};
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) return base::InvalidArgument(fmt::format("{}: cannot be written", path));
  return {};
}

base::Status RunSimulation(const TimeSimulationOptions& options) {
  COPPICE_ASSIGN(const std::string yaml, ReadFile(options.input));
  const auto simulation = ReadTimeSimulation(yaml);
  if (!simulation) return simulation.error().During(options.input);
  for (const std::string& key : simulation->ignored) {
    fmt::print(stderr, "warning: {}: {}\n", options.input, key);
  }
  return Write(options.output, SimulateTime(*simulation));
}

}  // namespace

std::string SimulateTime(const TimeSimulation& simulation) {
  World world(simulation);
  std::string csv = "Time,QueueID,Allocation,FairShare\n";
  for (int cycle = 0; cycle < simulation.cycles; ++cycle) {
    for (const auto& queue : world.Step()) {
      csv += fmt::format("{},{},{},{}\n", cycle, queue.queue, world.Allocated(queue.queue),
                         queue.fair_share[2]);
    }
  }
  return csv;
}

int RunTimeSimulator(const TimeSimulationOptions& options) {
  const base::Status done = RunSimulation(options);
  return done ? 0 : Fail(done.error());
}

}  // namespace coppice::cli
