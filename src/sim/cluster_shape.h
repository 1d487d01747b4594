#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/labels.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::sim {

// Node labels of the narrowest levels of the simulated topology.
inline constexpr std::string_view kRackLabel = "topo/rack";
inline constexpr std::string_view kBlockLabel = "topo/block";
inline constexpr std::string_view kZoneLabel = api::labels::kZone;

// One level of the simulated topology, widest first.
struct TopologyLevel {
  std::string domain;  // "zone", "block", "rack": the name in topology constraints.
  std::string label;   // Its node label.
  int fan_out = 1;     // Number of these in each domain of the level above.
};

// How the kubelets of a pool align resources with NUMA zones. The zones divide the nodes evenly.
struct NumaZones {
  int zones = 2;
  std::string policy = "single-numa-node";
  std::string scope = "container";
};

// Devices for ResourceClaims on every node of a pool.
struct DevicePool {
  int count = 0;
  std::string device_class = "gpu.example.com";  // Also its driver.
  std::string extended_resource;  // Pods that request this get devices without a claim.
};

// More are certainly a typo, and would exhaust the memory.
inline constexpr int kMaxNodes = 200'000;
inline constexpr int kMaxGpus = 1'000;

// A group of equal simulated nodes.
struct NodePool {
  std::string prefix = "node-";
  int count = 0;
  int gpus = 0;
  int gpu_memory_mib = 81920;
  std::string cpu = "64";
  std::string memory = "512Gi";
  int max_pods = 110;
  json::Value labels = json::Value::Object();
  json::Value taints = json::Value::Array();
  std::optional<NumaZones> numa;
  std::optional<DevicePool> devices;
};

// The cluster described by `coppice up --nodes … --gpus … --topology …` or a YAML file.
struct ClusterShape {
  std::vector<NodePool> pools;
  std::vector<TopologyLevel> levels;

  int NodeCount() const;
};

// "4x8x8x2": the number of domains of each level within the one above. One level is racks, two are
// blocks of racks, three are zones of blocks of racks; four add data centres, five regions.
base::Result<std::vector<TopologyLevel>> ParseTopology(std::string_view text);

// The YAML form:
//   topology: 2x4            # or levels: [{domain: rack, label: topo/rack, count: 4}]
//   pools:
//   - {prefix: gpu-, count: 16, gpus: 8, cpu: "96", memory: 1Ti, labels: {…}, taints: […],
//      numa: {zones: 2, policy: restricted, scope: pod},      # single-numa-node, container
//      devices: {count: 8, class: gpu.example.com, extendedResource: nvidia.com/gpu}}
base::Result<ClusterShape> ReadClusterShape(const json::Value& document);

// The Node objects, spread evenly over the narrowest domains in order: neighbours by name are
// neighbours in the topology.
std::vector<json::Value> MakeNodes(const ClusterShape& shape);

// Grove's ClusterTopologyBinding `name` for these levels (plus the host level). Null if there are
// no levels.
json::Value MakeTopologyBinding(const ClusterShape& shape, std::string_view name);

}  // namespace coppice::sim
