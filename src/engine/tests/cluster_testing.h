#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

// Small clusters in a few words, for tests and benchmarks.

namespace coppice::engine::testing {

// When most tests take place: after everything that they tell.
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
  std::string node;  // Given: running there.
  base::Time creation{};
  std::optional<TopologyConstraint> topology;
  std::string set = {};
  bool gated = false;
};
// A pod group and its pods "NAME-0", …, told to an Engine or a Cluster.
template <typename Told>
void PutGang(Told& told, const std::string& name, const GangOptions& options);

// A pod group whose only pod, of one GPU, has been on its way out of a node since kNow.
void PutLeaving(Engine& engine, const std::string& name, const std::string& node);

// One GPU, held by a low priority; two higher ones wait for it.
void PutOneVictimAndTwoWaiting(Engine& engine);

}  // namespace coppice::engine::testing
