#include "engine/properties/random_world_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>

#include "engine/tests/cluster_testing.h"

namespace coppice::engine::testing {
namespace {

std::string Numbered(const char* prefix, int i) { return prefix + std::to_string(i); }

}  // namespace

RandomWorld::RandomWorld(Choices choices)
    : Choices(std::move(choices)), configuration(Configuration::Defaults()) {
  configuration.max_consolidation_preemptees = Chance(50) ? -1 : 16;
  configuration.use_scheduling_signatures = Chance(50);
  configuration.allow_consolidating_reclaim = Chance(80);
  MakeNodes();
  MakeQueues();
  if (Chance(70)) topologies.push_back({"t", {{"topo/block", ""}, {"topo/rack", "rack"}}});
  const int count = Pick(1, 14);
  for (int i = 0; i < count; ++i) MakeGroup(i);
  gpu_placement = Chance(50) ? "binpack" : Chance(70) ? "leastfragmentation" : "spread";
  for (auto& plugin : configuration.plugins) {
    if (plugin.name == "nodeplacement") plugin.arguments["gpu"] = gpu_placement;
  }
}

void RandomWorld::MakeNodes() {
  const int count = Pick(1, 8);
  for (int i = 0; i < count; ++i) {
    const bool mig = Chance(10);
    const int gpus = mig ? 0 : Chance(10) ? 0 : 1 << Pick(0, 3);
    NodeSpec node = GpuNode(Numbered("n", i), gpus);
    node.labels["nvidia.com/gpu.memory"] = std::to_string(kGpuMemory);
    if (Chance(90)) {
      node.labels["topo/block"] = Numbered("b", i / 4);
      node.labels["topo/rack"] = Numbered("r", i / 2);
    }
    node.labels["host"] = node.name;
    Room room{gpus, Pick(2, 40), {}, {}};
    node.allocatable["cpu"] = base::Quantity::FromUnits(room.cpu);
    if (mig) {
      node.labels["node-role.kubernetes.io/mig-enabled"] = "true";
      node.labels["nvidia.com/mig.strategy"] = "mixed";
      node.allocatable["nvidia.com/mig-1g.10gb"] = base::Quantity::FromUnits(7);
      room.mig["1g.10gb"] = 7;
    }
    if (Chance(5)) node.unschedulable = true;
    if (Chance(8)) node.taints.push_back({"dedicated", "x", "NoSchedule"});
    rooms_[node.name] = room;
    nodes.push_back(std::move(node));
  }
}

void RandomWorld::MakeQueues() {
  const auto shaped = [&](QueueSpec queue) {
    queue.priority = Chance(80) ? 100 : 90;
    queue.creation = now - std::chrono::minutes(Pick(0, 3));
    if (Chance(15)) queue.reclaim_min_runtime = std::chrono::seconds(Pick(0, 200));
    if (Chance(15)) queue.preempt_min_runtime = std::chrono::seconds(Pick(0, 200));
    return queue;
  };
  const auto quota = [&] { return Chance(20) ? -1.0 : static_cast<double>(Pick(0, 12)); };
  const auto limit = [&] { return Chance(75) ? -1.0 : static_cast<double>(Pick(2, 16)); };
  const int departments = Pick(1, 3);
  for (int d = 0; d < departments; ++d) {
    const std::string name = Numbered("d", d);
    queues.push_back(shaped(TopQueue(name, quota(), limit(), Pick(0, 4))));
    const int teams = Pick(1, 3);
    for (int t = 0; t < teams; ++t) {
      const std::string team = name + Numbered("-t", t);
      queues.push_back(shaped(ChildQueue(team, name, quota(), limit(), Pick(0, 4))));
      if (Chance(20)) {
        queues.push_back(shaped(ChildQueue(team + "-x", team, quota(), limit(), Pick(0, 4))));
        leaves_.push_back(team + "-x");
      } else {
        leaves_.push_back(team);
      }
    }
  }
}

Demand RandomWorld::DrawDemand() {
  Demand demand;
  demand.cpu = Pick(1, 3);
  const int kind = Pick(0, 9);
  if (kind < 5) {
    demand.gpus = 1 << Pick(0, 3);
  } else if (kind < 7) {
    demand.percent = std::vector{20, 25, 50, 60, 75}[Pick(0, 4)];
  } else if (kind < 8) {
    demand.memory_mib = kGpuMemory / 100 * std::vector{25, 50, 60}[Pick(0, 2)];
  } else if (kind < 9 && Chance(40)) {
    demand.mig = "1g.10gb";
  }
  if (demand.shared() && Chance(15)) demand.devices = 2;
  return demand;
}

std::shared_ptr<PodShape> RandomWorld::ShapeOf(const Demand& demand, const std::string& group) {
  auto shape = GpuShape(demand.gpus);
  auto& requests = shape->containers[0].requests;
  requests["cpu"] = base::Quantity::FromUnits(demand.cpu);
  if (demand.percent > 0) {
    shape->annotations["gpu-fraction"] = "0." + std::to_string(demand.percent);
  }
  if (demand.memory_mib > 0) {
    shape->annotations["gpu-memory"] = std::to_string(demand.memory_mib);
  }
  if (demand.devices > 1) {
    shape->annotations["gpu-fraction-num-devices"] = std::to_string(demand.devices);
  }
  if (!demand.mig.empty()) {
    requests["nvidia.com/mig-" + demand.mig] = base::Quantity::FromUnits(1);
  }
  shape->labels["app"] = group;
  if (Chance(10)) shape->tolerations.push_back({"dedicated", "Exists", "", "NoSchedule"});
  return shape;
}

void RandomWorld::DrawConstraint(std::optional<TopologyConstraint>& constraint) {
  if (topologies.empty()) return;
  constraint = TopologyConstraint{"t", "", ""};
  if (Chance(70)) constraint->required_level = Chance(50) ? "topo/block" : "rack";
  if (constraint->required_level.empty() || Chance(40)) constraint->preferred_level = "topo/rack";
}

// The leaves of the tree; "" is the group itself.
std::vector<std::string> RandomWorld::DrawTree(PodGroupSpec& group) {
  if (Chance(25)) DrawConstraint(group.topology);
  if (Chance(60)) {
    group.min_members = Pick(1, 4);
    return {""};
  }
  std::vector<std::string> leaves;
  const auto leaf = [&](const std::string& name, const std::string& parent) {
    SubGroupSpec part{name, parent, Pick(0, 3), {}, {}};
    if (Chance(15)) DrawConstraint(part.topology);
    group.sub_groups.push_back(part);
    leaves.push_back(name);
  };
  const int parts = Pick(1, 3);
  if (Chance(25)) group.min_sub_groups = Pick(1, parts);
  for (int i = 0; i < parts; ++i) {
    const std::string name = Numbered("s", i);
    if (Chance(60)) {
      leaf(name, "");
      continue;
    }
    const int children = Pick(1, 3);
    SubGroupSpec set{name, "", {}, {}, {}};
    if (Chance(40)) set.min_sub_groups = Pick(1, children);
    if (Chance(20)) DrawConstraint(set.topology);
    group.sub_groups.push_back(set);
    for (int c = 0; c < children; ++c) leaf(name + Numbered("-", c), name);
  }
  return leaves;
}

bool RandomWorld::Start(PodSpec& pod, const Demand& demand) {
  const int first = Pick(0, static_cast<int>(nodes.size()) - 1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeSpec& node = nodes[(first + i) % nodes.size()];
    Room& room = rooms_[node.name];
    const int memory = demand.percent > 0 ? kGpuMemory / 100 * demand.percent : demand.memory_mib;
    std::vector<std::string> taken;
    if (demand.shared()) {
      for (auto& [id, used] : room.shared) {
        if (static_cast<int>(taken.size()) < demand.devices && used + memory <= kGpuMemory) {
          taken.push_back(id);
        }
      }
    }
    const int fresh = demand.shared() ? demand.devices - static_cast<int>(taken.size()) : 0;
    if (room.cpu < demand.cpu || room.gpus < demand.gpus + fresh) continue;
    if (!demand.mig.empty() && room.mig[demand.mig] < 1) continue;
    if (demand.shared() && node.labels.contains("nvidia.com/mig.strategy")) continue;
    room.cpu -= demand.cpu;
    room.gpus -= demand.gpus + fresh;
    if (!demand.mig.empty()) --room.mig[demand.mig];
    for (int f = 0; f < fresh; ++f) {
      taken.push_back(node.name + "-gpu" + std::to_string(room.shared.size()));
      room.shared[taken.back()] = 0;
    }
    for (const auto& id : taken) room.shared[id] += memory;
    pod.status = Chance(92)   ? TaskStatus::kRunning
                 : Chance(50) ? TaskStatus::kReleasing
                              : TaskStatus::kBinding;
    pod.node = node.name;
    pod.gpu_groups = taken;
    return true;
  }
  return false;
}

void RandomWorld::MakeGroup(int index) {
  PodGroupSpec group;
  group.name = Numbered("g", index);
  group.namespace_name = "ns";
  group.queue = leaves_[Pick(0, static_cast<int>(leaves_.size()) - 1)];
  group.priority = std::vector{50, 75, 100, 125}[Pick(0, 3)];
  group.preemptible = Chance(10) ? Chance(50) : group.priority < 100;
  group.creation = now - std::chrono::seconds(60 * Pick(1, 60));
  if (Chance(10)) group.preemption_delay = std::chrono::minutes(Pick(1, 60));
  if (Chance(10)) group.staleness_grace = std::chrono::seconds(Pick(-1, 60));
  const std::vector<std::string> leaves = DrawTree(group);
  const Demand demand = DrawDemand();
  const auto shape = ShapeOf(demand, group.name);
  if (Chance(8)) {
    PodAffinityTerm term;
    term.selector = LabelSelector{{{"app", group.name}}, {}};
    term.topology_key = "host";
    shape->affinity.required_anti_pods.push_back(term);
  }
  const bool running = Chance(50);
  int number = 0;
  bool active = false;
  for (const auto& leaf : leaves) {
    for (int i = Pick(1, 4); i > 0; --i) {
      PodSpec pod;
      pod.name = pod.uid = group.name + Numbered("-", number++);
      pod.shape = shape;
      pod.pod_group = group.name;
      pod.sub_group = leaf;
      if (running && Chance(85)) active |= Start(pod, demand);
      if (pod.status == TaskStatus::kPending && Chance(3)) pod.status = TaskStatus::kGated;
      demands[pod.uid] = demand;
      pods.push_back(std::move(pod));
    }
  }
  if (active) group.last_start = now - std::chrono::seconds(Pick(0, 300));
  groups.push_back(std::move(group));
}

Engine RandomWorld::Build(uint32_t order) const {
  Engine engine(configuration);
  std::vector<std::function<void()>> puts;
  for (const auto& node : nodes) puts.push_back([&] { engine.PutNode(node); });
  for (const auto& queue : queues) puts.push_back([&] { engine.PutQueue(queue); });
  for (const auto& topology : topologies) puts.push_back([&] { engine.PutTopology(topology); });
  for (const auto& group : groups) puts.push_back([&] { engine.PutPodGroup(group); });
  for (const auto& pod : pods) puts.push_back([&] { engine.PutPod(pod); });
  std::mt19937 shuffler(order);
  if (order != 0) std::shuffle(puts.begin(), puts.end(), shuffler);
  for (const auto& put : puts) put();
  return engine;
}

std::string RandomWorld::Describe() const {
  std::string out = "GPU placement " + gpu_placement + "\n";
  const auto value = [](const ResourceList& list, const char* name) {
    const auto found = list.find(name);
    return found == list.end() ? 0 : found->second.Value();
  };
  for (const auto& node : nodes) {
    const auto rack = node.labels.find("topo/rack");
    out += fmt::format(
        "{}: {} GPUs, {} cores, {}{}{}\n", node.name, value(node.allocatable, "nvidia.com/gpu"),
        value(node.allocatable, "cpu"), rack == node.labels.end() ? "no rack" : rack->second,
        node.unschedulable ? ", closed" : "", node.taints.empty() ? "" : ", tainted");
  }
  for (const auto& queue : queues) {
    out += fmt::format("{} in '{}': quota {}, limit {}, weight {}, priority {}\n", queue.name,
                       queue.parent, queue.gpu.quota, queue.gpu.limit, queue.gpu.over_quota_weight,
                       queue.priority);
  }
  for (const auto& group : groups) {
    out += fmt::format("{} in {}: priority {}{}, min {}\n", group.name, group.queue, group.priority,
                       group.preemptible ? ", preemptible" : "", group.min_members.value_or(-1));
    for (const auto& part : group.sub_groups) {
      out += fmt::format("  {} in '{}': min {}, sub-groups {}\n", part.name, part.parent,
                         part.min_members.value_or(-1), part.min_sub_groups.value_or(-1));
    }
    for (const auto& pod : pods) {
      if (pod.pod_group != group.name) continue;
      const Demand& demand = demands.at(pod.uid);
      out += fmt::format("  {} '{}' {} {} [{}]: {} GPUs, {}% or {} MiB of {}, {}, {} cores\n",
                         pod.name, pod.sub_group, ToString(pod.status), pod.node,
                         fmt::join(pod.gpu_groups, " "), demand.gpus, demand.percent,
                         demand.memory_mib, demand.devices, demand.mig, demand.cpu);
    }
  }
  return out;
}

}  // namespace coppice::engine::testing
