#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/tests/cluster_testing.h"

// Clusters of any size in the shapes used for scheduler benchmarks.

namespace coppice::engine::testing {

std::string Padded(const char* prefix, int number);

// Nodes with `gpus` GPUs in racks of `rack` nodes and blocks of eight racks. COPPICE_PLACEMENT sets
// the placement strategy for GPUs.
Engine Fleet(int nodes, int gpus, const std::vector<QueueSpec>& queues, int rack = 16,
             const std::vector<std::string>& actions = {});
// Two departments of two queues each, with equal quotas.
std::vector<QueueSpec> FourQueues(double total);
// The labels for blocks, racks and hosts of Fleet's nodes.
const TopologySpec& ThreeLevels();

// One of the shapes of KAI's own benchmarks (docs/behaviour/scheduler.md S-109), on nodes with
// eight GPUs; every pod has one GPU unless stated otherwise.
struct Shape {
  struct Size {
    int nodes;
    int jobs;  // Waiting and running ones; if one job waits for many, its pods.
  };
  const char* name;
  std::vector<Size> sizes;  // The sizes in KAI's benchmarks.
  Engine (*make)(Size size);
};

std::span<const Shape> KaiShapes();
const Shape& FindShape(std::string_view name);

}  // namespace coppice::engine::testing
