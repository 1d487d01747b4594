#include "sim/cluster_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::sim {
namespace {

using json::Value;

constexpr int kMaxLevels = 5;
constexpr int kMaxNodes = 200'000;
constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

// Names and labels for 1 to 5 levels, counted from the narrowest.
struct LevelName {
  std::string_view domain, label;
};
constexpr std::array<LevelName, kMaxLevels> kLevelNames = {{
    {"rack", "topo/rack"},
    {"block", "topo/block"},
    {"zone", "topology.kubernetes.io/zone"},
    {"datacenter", "topo/datacenter"},
    {"region", "topology.kubernetes.io/region"},
}};

base::Result<int> ParseCount(std::string_view text, std::string_view what) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > kMaxNodes) {
    return base::InvalidArgument(
        fmt::format("{}: \"{}\" is not a number between 1 and {}", what, text, kMaxNodes));
  }
  return count;
}

// With four levels data centres lie between zones and blocks; Grove orders them so.
std::vector<LevelName> NamesFor(size_t count) {
  std::vector<LevelName> names;
  for (size_t i = count; i > 0; --i) names.push_back(kLevelNames[i - 1]);
  if (count >= 4) std::swap(names[count - 4], names[count - 3]);
  return names;
}

int LeafDomains(const std::vector<TopologyLevel>& levels) {
  int64_t leaves = 1;
  for (const TopologyLevel& level : levels) {
    leaves = std::min<int64_t>(leaves * level.fan_out, kMaxNodes);
  }
  return static_cast<int>(leaves);
}

// The labels of one narrowest domain: every level's value is its path, so that values are unique
// within their level.
void SetDomainLabels(const std::vector<TopologyLevel>& levels, int leaf, Value& labels) {
  std::vector<int> path(levels.size());
  for (size_t i = levels.size(); i > 0; --i) {
    path[i - 1] = leaf % levels[i - 1].fan_out;
    leaf /= levels[i - 1].fan_out;
  }
  std::string value;
  for (size_t i = 0; i < levels.size(); ++i) {
    value += fmt::format("{}{}{}", i == 0 ? "" : "-", levels[i].domain[0], path[i]);
    labels.Set(levels[i].label, value);
  }
}

Value Resources(const NodePool& pool) {
  Value resources = Value::Object({{"cpu", pool.cpu},
                                   {"memory", pool.memory},
                                   {"ephemeral-storage", "1Ti"},
                                   {"pods", fmt::format("{}", pool.max_pods)}});
  if (pool.gpus > 0) resources.Set("nvidia.com/gpu", fmt::format("{}", pool.gpus));
  return resources;
}

Value MakeNode(const NodePool& pool, int index) {
  const std::string name = fmt::format("{}{}", pool.prefix, index);
  Value node = kube::NewObject(api::kNodes, "", name);
  Value labels = pool.labels;
  labels.Set(kHostnameLabel, name)
      .Set("kubernetes.io/os", "linux")
      .Set("kubernetes.io/arch", "amd64");
  if (pool.gpus > 0) {
    labels.Set("nvidia.com/gpu.count", fmt::format("{}", pool.gpus));
    labels.Set("nvidia.com/gpu.memory", fmt::format("{}", pool.gpu_memory_mib));
  }
  node.Mutable("metadata").Set("labels", std::move(labels));
  if (!pool.taints.empty()) node.Mutable("spec").Set("taints", pool.taints);
  const Value resources = Resources(pool);
  Value ready = Value::Object({{"type", "Ready"},
                               {"status", "True"},
                               {"reason", "KubeletReady"},
                               {"message", "simulated node is ready"}});
  node.Set("status", Value::Object({{"capacity", resources},
                                    {"allocatable", resources},
                                    {"conditions", Value::Array({std::move(ready)})},
                                    {"nodeInfo", Value::Object({{"kubeletVersion", "simulated"},
                                                                {"operatingSystem", "linux"},
                                                                {"architecture", "amd64"}})}}));
  return node;
}

base::Result<std::vector<TopologyLevel>> ReadLevels(const Value& list) {
  std::vector<TopologyLevel> levels;
  for (const Value& item : list.Items()) {
    TopologyLevel level{item["domain"].ToString(), item["label"].ToString(),
                        static_cast<int>(item["count"].AsInt(1))};
    if (level.domain.empty() || level.label.empty() || level.fan_out < 1) {
      return base::InvalidArgument(
          "levels: each needs a domain, a label and a count of at least 1");
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

base::Result<NumaZones> ReadNuma(const Value& item) {
  NumaZones numa;
  numa.zones = static_cast<int>(item["zones"].AsInt(numa.zones));
  numa.policy = item["policy"].ToString(numa.policy);
  numa.scope = item["scope"].ToString(numa.scope);
  const auto is_one_of = [](const std::string& text, std::initializer_list<const char*> known) {
    return std::find(known.begin(), known.end(), text) != known.end();
  };
  if (numa.zones < 1 || !is_one_of(numa.scope, {"container", "pod"}) ||
      !is_one_of(numa.policy, {"none", "best-effort", "restricted", "single-numa-node"})) {
    return base::InvalidArgument(
        "pools: numa: zones must be at least 1, policy none, best-effort, restricted or "
        "single-numa-node, scope container or pod");
  }
  return numa;
}

base::Result<DevicePool> ReadDevices(const Value& item) {
  DevicePool devices;
  devices.count = static_cast<int>(item["count"].AsInt());
  devices.device_class = item["class"].ToString(devices.device_class);
  devices.extended_resource = item["extendedResource"].ToString();
  if (devices.count < 1 || devices.count > 128) {
    return base::InvalidArgument("pools: devices: count must be between 1 and 128");
  }
  return devices;
}

base::Result<NodePool> ReadPool(const Value& item) {
  NodePool pool;
  pool.prefix = item["prefix"].ToString(pool.prefix);
  pool.count = static_cast<int>(item["count"].AsInt());
  pool.gpus = static_cast<int>(item["gpus"].AsInt());
  pool.gpu_memory_mib = static_cast<int>(item["gpuMemoryMiB"].AsInt(pool.gpu_memory_mib));
  pool.cpu =
      item["cpu"].IsInt() ? fmt::format("{}", item["cpu"].AsInt()) : item["cpu"].ToString(pool.cpu);
  pool.memory = item["memory"].ToString(pool.memory);
  pool.max_pods = static_cast<int>(item["maxPods"].AsInt(pool.max_pods));
  if (item["labels"].IsObject()) pool.labels = item["labels"];
  if (item["taints"].IsArray()) pool.taints = item["taints"];
  if (item.Has("numa")) {
    COPPICE_ASSIGN(pool.numa, ReadNuma(item["numa"]));
  }
  if (item.Has("devices")) {
    COPPICE_ASSIGN(pool.devices, ReadDevices(item["devices"]));
  }
  if (pool.count < 1 || pool.count > kMaxNodes || pool.gpus < 0) {
    return base::InvalidArgument(fmt::format(
        "pools: {}: count must be between 1 and {}, gpus not negative", pool.prefix, kMaxNodes));
  }
  return pool;
}

Value LevelList(const ClusterShape& shape, std::string_view label_key, bool with_domain) {
  Value list = Value::Array();
  const auto add = [&](std::string_view domain, std::string_view label) {
    Value level = Value::Object({{label_key, label}});
    if (with_domain) level.Set("domain", domain);
    list.Append(std::move(level));
  };
  for (const TopologyLevel& level : shape.levels) add(level.domain, level.label);
  add("host", kHostnameLabel);
  return list;
}

}  // namespace

int ClusterShape::NodeCount() const {
  int total = 0;
  for (const NodePool& pool : pools) total += pool.count;
  return total;
}

base::Result<std::vector<TopologyLevel>> ParseTopology(std::string_view text) {
  std::vector<int> counts;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t cross = rest.find('x');
    COPPICE_ASSIGN(const int count, ParseCount(rest.substr(0, cross), "topology"));
    counts.push_back(count);
    rest = cross == std::string_view::npos ? "" : rest.substr(cross + 1);
  }
  if (counts.empty() || counts.size() > kMaxLevels || text.back() == 'x') {
    return base::InvalidArgument(
        fmt::format("topology: \"{}\" is not of the form 4x8 (1 to {} numbers)", text, kMaxLevels));
  }
  std::vector<TopologyLevel> levels;
  const std::vector<LevelName> names = NamesFor(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    levels.push_back({std::string(names[i].domain), std::string(names[i].label), counts[i]});
  }
  return levels;
}

base::Result<ClusterShape> ReadClusterShape(const Value& document) {
  ClusterShape shape;
  if (document["topology"].IsString()) {
    COPPICE_ASSIGN(shape.levels, ParseTopology(document["topology"].AsString()));
  } else {
    COPPICE_ASSIGN(shape.levels, ReadLevels(document["levels"]));
  }
  for (const Value& item : document["pools"].Items()) {
    COPPICE_ASSIGN(NodePool pool, ReadPool(item));
    shape.pools.push_back(std::move(pool));
  }
  return shape;
}

std::vector<Value> MakeNodes(const ClusterShape& shape) {
  std::vector<Value> nodes;
  const int total = shape.NodeCount();
  const int leaves = LeafDomains(shape.levels);
  for (const NodePool& pool : shape.pools) {
    for (int i = 0; i < pool.count; ++i) {
      Value node = MakeNode(pool, i);
      if (!shape.levels.empty()) {
        // Blocks of consecutive nodes share a domain.
        const int64_t position = static_cast<int64_t>(nodes.size()) * leaves / total;
        SetDomainLabels(shape.levels, static_cast<int>(position),
                        node.Mutable("metadata").Mutable("labels"));
      }
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

Value MakeTopologyBinding(const ClusterShape& shape, std::string_view name) {
  if (shape.levels.empty()) return {};
  Value binding = kube::NewObject(api::kClusterTopologyBindings, "", name);
  binding.Mutable("spec").Set("levels", LevelList(shape, "key", true));
  return binding;
}

Value MakeTopology(const ClusterShape& shape, std::string_view name) {
  if (shape.levels.empty()) return {};
  Value topology = kube::NewObject(api::kTopologies, "", name);
  topology.Mutable("spec").Set("levels", LevelList(shape, "nodeLabel", false));
  return topology;
}

}  // namespace coppice::sim
