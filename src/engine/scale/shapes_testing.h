#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/tests/cluster_testing.h"

// Clusters of any size in the shapes in which schedulers are measured.

namespace coppice::engine::testing {

std::string Padded(const char* prefix, int number);

// Nodes of `gpus` GPUs in racks of `rack` and blocks of eight racks. COPPICE_PLACEMENT sets the
// placement strategy for GPUs.
Engine Fleet(int nodes, int gpus, const std::vector<QueueSpec>& queues, int rack = 16,
             const std::vector<std::string>& actions = {});
// Two departments of two queues each, with equal quotas.
std::vector<QueueSpec> FourQueues(double total);
// The labels by which Fleet's nodes lie in blocks, racks and hosts.
const TopologySpec& ThreeLevels();

// One of the shapes in which KAI measures itself (docs/behaviour/scheduler.md S-109), on nodes of
// eight GPUs, where every pod has one unless it says otherwise.
struct Shape {
  struct Size {
    int nodes;
    int jobs;  // That wait and run; where one job waits for many, its pods.
  };
  const char* name;
  std::vector<Size> sizes;  // In which KAI measures it.
  Engine (*make)(Size size);
};

std::span<const Shape> KaiShapes();
const Shape& FindShape(std::string_view name);

}  // namespace coppice::engine::testing
