#include "engine/tests/cluster_testing.h"

#include "engine/state/cluster.h"

namespace coppice::engine::testing {

NodeSpec GpuNode(const std::string& name, int gpus, Labels labels) {
  NodeSpec node;
  node.name = name;
  node.labels = std::move(labels);
  node.labels.try_emplace("nvidia.com/gpu.memory", "81920");
  node.labels["nvidia.com/gpu.count"] = std::to_string(gpus);
  node.allocatable = {{"cpu", base::Quantity::FromUnits(128)},
                      {"memory", base::Quantity::FromUnits(int64_t{1} << 40)},
                      {"nvidia.com/gpu", base::Quantity::FromUnits(gpus)},
                      {"pods", base::Quantity::FromUnits(110)}};
  return node;
}

QueueSpec TopQueue(const std::string& name, double gpu_quota, double gpu_limit, double weight) {
  QueueSpec queue;
  queue.name = name;
  queue.cpu = queue.memory = {-1, -1, 1};
  queue.gpu = {gpu_quota, gpu_limit, weight};
  return queue;
}

QueueSpec ChildQueue(const std::string& name, const std::string& parent, double gpu_quota,
                     double gpu_limit, double weight) {
  QueueSpec queue = TopQueue(name, gpu_quota, gpu_limit, weight);
  queue.parent = parent;
  return queue;
}

std::shared_ptr<PodShape> GpuShape(int gpus, const std::string& namespace_name) {
  auto shape = std::make_shared<PodShape>();
  shape->namespace_name = namespace_name;
  shape->scheduler_name = "kai-scheduler";
  ContainerSpec container;
  container.requests = {{"cpu", base::Quantity::FromUnits(1)},
                        {"memory", base::Quantity::FromUnits(1'000'000'000)}};
  if (gpus > 0) container.requests["nvidia.com/gpu"] = base::Quantity::FromUnits(gpus);
  shape->containers.push_back(std::move(container));
  return shape;
}

std::shared_ptr<PodShape> FractionShape(const std::string& fraction) {
  auto shape = GpuShape(0);
  shape->annotations["gpu-fraction"] = fraction;
  return shape;
}

template <typename Told>
void PutGang(Told& told, const std::string& name, const GangOptions& options) {
  PodGroupSpec group;
  group.name = name;
  group.namespace_name = options.shape->namespace_name;
  group.queue = options.queue;
  group.priority = options.priority;
  group.preemptible = options.preemptible;
  group.creation = options.creation;
  group.min_members = options.min < 0 ? options.pods : options.min;
  group.topology = options.topology;
  group.set = options.set;
  if (!options.node.empty()) group.last_start = options.creation;
  told.PutPodGroup(group);
  PodSpec pod;
  pod.shape = options.shape;
  pod.pod_group = name;
  pod.creation = options.creation;
  if (options.gated) pod.status = TaskStatus::kGated;
  if (!options.node.empty()) {
    pod.status = TaskStatus::kRunning;
    pod.node = options.node;
  }
  for (int i = 0; i < options.pods; ++i) {
    pod.name = pod.uid = name + "-" + std::to_string(i);
    told.PutPod(pod);
  }
}

template void PutGang(Engine& told, const std::string& name, const GangOptions& options);
template void PutGang(Cluster& told, const std::string& name, const GangOptions& options);

void PutLeaving(Engine& engine, const std::string& name, const std::string& node) {
  PutGang(engine, name, {.shape = GpuShape(1), .node = node});
  PodSpec pod;
  pod.uid = pod.name = name + "-0";
  pod.shape = GpuShape(1);
  pod.pod_group = name;
  pod.node = node;
  pod.status = TaskStatus::kReleasing;
  pod.deletion = kNow;
  engine.PutPod(pod);
}

void PutOneVictimAndTwoWaiting(Engine& engine) {
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 1));
  PutGang(engine, "low", {.shape = GpuShape(1), .node = "a"});
  PutGang(engine, "first", {.shape = GpuShape(1), .priority = 75});
  PutGang(engine, "second", {.shape = GpuShape(1), .priority = 60});
}

}  // namespace coppice::engine::testing
