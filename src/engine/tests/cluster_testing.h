#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

// Helpers to describe small clusters, for tests and benchmarks.

namespace coppice::engine::testing {

// The time of most tests: later than all their input.
inline constexpr base::Time kNow{std::chrono::hours(24 * 365 * 56)};

NodeSpec GpuNode(const std::string& name, int gpus, Labels labels = {});
QueueSpec TopQueue(const std::string& name, double gpu_quota = -1, double gpu_limit = -1,
                   double weight = 1);
QueueSpec ChildQueue(const std::string& name, const std::string& parent, double gpu_quota = -1,
                     double gpu_limit = -1, double weight = 1);
std::shared_ptr<PodShape> GpuShape(int gpus, const std::string& namespace_name = "ns");
std::shared_ptr<PodShape> FractionShape(const std::string& fraction);

struct GangOptions {
  std::string queue = "team";
  int pods = 1;
  int min = -1;  // All pods.
  std::shared_ptr<const PodShape> shape;
  int64_t priority = 50;
  bool preemptible = true;
  std::string node;  // If set: running there.
  base::Time creation{};
  std::optional<TopologyConstraint> topology;
  std::string set = {};
  bool gated = false;
};
// Puts a pod group and its pods "NAME-0", … into an Engine or a Cluster.
template <typename Told>
void PutGang(Told& told, const std::string& name, const GangOptions& options);

// A pod group whose only pod, with one GPU, has been terminating on a node since kNow.
void PutLeaving(Engine& engine, const std::string& name, const std::string& node);

// One GPU, used by a low-priority job; two higher ones wait for it.
void PutOneVictimAndTwoWaiting(Engine& engine);

}  // namespace coppice::engine::testing
