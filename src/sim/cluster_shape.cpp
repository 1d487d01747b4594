#include "sim/cluster_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "api/edit/core.h"
#include "api/edit/grove.h"
#include "api/edit/kai.h"
#include "api/foreign/names.h"
#include "api/key/scenario.h"
#include "api/labels.h"
#include "api/view/scenario.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "sim/simulated_node.h"

namespace coppice::sim {
namespace {

using json::Value;
using ClusterKey = key::scenario::Cluster;
using LevelKey = key::scenario::Level;
using NumaKey = key::scenario::Numa;
using DevicesKey = key::scenario::Devices;
using PoolKey = key::scenario::Pool;
namespace names = services::names;

constexpr int kMaxLevels = 5;
constexpr std::string_view kHostnameLabel = api::labels::kHostname;
constexpr std::string_view kOsLabel = api::labels::kOs;
constexpr std::string_view kArchLabel = api::labels::kArch;
constexpr std::string_view kGpuCountLabel = api::foreign::kNvidiaGpuCount;
constexpr std::string_view kOs = "linux";
constexpr std::string_view kArch = "amd64";

// Names and labels for 1 to 5 levels, counted from the narrowest.
struct LevelName {
  std::string_view domain, label;
};
constexpr std::array<LevelName, kMaxLevels> kLevelNames = {{
    {"rack", kRackLabel},
    {"block", kBlockLabel},
    {"zone", kZoneLabel},
    {"datacenter", "topo/datacenter"},
    {"region", api::labels::kRegion},
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

// With four or more levels, data centres are between zones and blocks; this is Grove's order.
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

// The labels of one narrowest domain. The value at each level is the full path, so values are
// unique within their level.
void SetDomainLabels(const std::vector<TopologyLevel>& levels, int leaf, edit::Map labels) {
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
  const std::pair<std::string_view, std::string> amounts[] = {
      {"cpu", pool.cpu},
      {"memory", pool.memory},
      {"ephemeral-storage", "1Ti"},
      {"pods", fmt::format("{}", pool.max_pods)}};
  Value resources = Value::Object();
  for (const auto& [name, amount] : amounts) resources.Set(name, amount);
  if (pool.gpus > 0) resources.Set(names::kGpuResource, fmt::format("{}", pool.gpus));
  return resources;
}

void SetStatus(const Value& resources, edit::core::NodeStatus status) {
  status.set_capacity(resources).set_allocatable(resources);
  status.add_conditions()
      .set_type("Ready")
      .set_status("True")
      .set_reason("KubeletReady")
      .set_message("simulated node is ready");
  status.nodeInfo()
      .set_kubeletVersion("simulated")
      .set_operatingSystem(kOs)
      .set_architecture(kArch);
}

Value MakeNode(const NodePool& pool, int index) {
  const std::string name = fmt::format("{}{}", pool.prefix, index);
  Value node = kube::NewObject(api::kNodes, "", name);
  const edit::core::Node edit(node);
  edit.metadata().set_labels(pool.labels);
  edit.metadata().annotations().Set(kSimulatedAnnotation, "true");
  const edit::Map labels = edit.metadata().labels();
  labels.Set(kHostnameLabel, name).Set(kOsLabel, kOs).Set(kArchLabel, kArch);
  if (pool.gpus > 0) {
    labels.Set(kGpuCountLabel, fmt::format("{}", pool.gpus));
    labels.Set(names::kNodeGpuMemory, fmt::format("{}", pool.gpu_memory_mib));
  }
  if (!pool.taints.empty()) edit.spec().set_taints(pool.taints);
  SetStatus(Resources(pool), edit.status());
  return node;
}

// A misspelt field would otherwise be silently ignored.
base::Status CheckFields(const Value& item, std::string_view where,
                         std::initializer_list<std::string_view> known) {
  if (!item.IsObject()) return base::InvalidArgument(fmt::format("{}: must be an object", where));
  for (const json::Member& member : item.Members()) {
    if (std::find(known.begin(), known.end(), member.name()) != known.end()) continue;
    return base::InvalidArgument(fmt::format("{}: unknown field \"{}\"; known are {}", where,
                                             member.name(), fmt::join(known, ", ")));
  }
  return {};
}

base::Result<Value> ListOf(const Value& document, std::string_view field) {
  const Value& list = document[field];
  if (!list.IsArray() && !list.IsNull()) {
    return base::InvalidArgument(fmt::format("{}: must be a list", field));
  }
  return list;
}

base::Result<std::vector<TopologyLevel>> ReadLevels(const Value& list) {
  std::vector<TopologyLevel> levels;
  for (const Value& item : list.Items()) {
    COPPICE_TRY(CheckFields(item, "levels", {LevelKey::domain, LevelKey::label, LevelKey::count}));
    const view::scenario::Level given(item);
    TopologyLevel level{std::string(given.domain()), std::string(given.label()),
                        static_cast<int>(given.count(1))};
    if (level.domain.empty() || level.label.empty() || level.fan_out < 1) {
      return base::InvalidArgument(
          "levels: each needs a domain, a label and a count of at least 1");
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

base::Result<NumaZones> ReadNuma(const Value& item) {
  COPPICE_TRY(CheckFields(item, "pools: numa", {NumaKey::zones, NumaKey::policy, NumaKey::scope}));
  const view::scenario::Numa given(item);
  NumaZones numa;
  numa.zones = static_cast<int>(given.zones(numa.zones));
  numa.policy = std::string(given.policy(numa.policy));
  numa.scope = std::string(given.scope(numa.scope));
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
  COPPICE_TRY(CheckFields(item, "pools: devices",
                          {DevicesKey::count, DevicesKey::class_, DevicesKey::extendedResource}));
  const view::scenario::Devices given(item);
  DevicePool devices;
  devices.count = static_cast<int>(given.count());
  devices.device_class = std::string(given.class_(devices.device_class));
  devices.extended_resource = given.extendedResource();
  if (devices.count < 1 || devices.count > 128) {
    return base::InvalidArgument("pools: devices: count must be between 1 and 128");
  }
  return devices;
}

std::string QuantityText(const Value& value, const std::string& absent) {
  return value.IsInt() ? fmt::format("{}", value.AsInt()) : value.ToString(absent);
}

// An integer of a pool within bounds; `target` is unchanged if the field is not given.
base::Status ReadNumber(const Value& item, std::string_view field, int least, int most,
                        int& target) {
  const int64_t number = item.Has(field) ? item[field].AsInt(int64_t{least} - 1) : target;
  if (number < least || number > most) {
    return base::InvalidArgument(
        fmt::format("pools: {} must be a number between {} and {}", field, least, most));
  }
  target = static_cast<int>(number);
  return {};
}

base::Status CheckPool(const NodePool& pool, view::scenario::Pool given) {
  std::string wrong;
  if (given.has_labels() && !pool.labels.IsObject()) wrong = "labels must be an object";
  if (given.has_taints() && !pool.taints.IsArray()) wrong = "taints must be a list";
  if (wrong.empty()) return {};
  return base::InvalidArgument(fmt::format("pools: {}: {}", pool.prefix, wrong));
}

base::Result<NodePool> ReadPool(const Value& item) {
  COPPICE_TRY(CheckFields(item, "pools",
                          {PoolKey::prefix, PoolKey::count, PoolKey::gpus, PoolKey::gpuMemoryMiB,
                           PoolKey::cpu, PoolKey::memory, PoolKey::maxPods, PoolKey::labels,
                           PoolKey::taints, PoolKey::numa, PoolKey::devices}));
  const view::scenario::Pool given(item);
  NodePool pool;
  pool.prefix = std::string(given.prefix(pool.prefix));
  constexpr int kAny = std::numeric_limits<int>::max();
  COPPICE_TRY(ReadNumber(item, PoolKey::count, 1, kMaxNodes, pool.count));
  COPPICE_TRY(ReadNumber(item, PoolKey::gpus, 0, kMaxGpus, pool.gpus));
  COPPICE_TRY(ReadNumber(item, PoolKey::gpuMemoryMiB, 1, kAny, pool.gpu_memory_mib));
  COPPICE_TRY(ReadNumber(item, PoolKey::maxPods, 1, kAny, pool.max_pods));
  pool.cpu = QuantityText(given.cpu(), pool.cpu);
  pool.memory = QuantityText(given.memory(), pool.memory);
  if (given.has_labels()) pool.labels = given.labels().Json();
  if (given.has_taints()) pool.taints = given.taints().Json();
  COPPICE_TRY(CheckPool(pool, given));
  if (given.has_numa()) {
    COPPICE_ASSIGN(pool.numa, ReadNuma(given.numa().Json()));
  }
  if (given.has_devices()) {
    COPPICE_ASSIGN(pool.devices, ReadDevices(given.devices().Json()));
  }
  return pool;
}

// Two pools with the same prefix would have the same nodes.
base::Status AddPool(const Value& item, std::vector<NodePool>& pools) {
  COPPICE_ASSIGN(NodePool pool, ReadPool(item));
  for (const NodePool& other : pools) {
    if (other.prefix != pool.prefix) continue;
    return base::InvalidArgument(
        fmt::format("pools: two have the prefix \"{}\"; each needs its own", pool.prefix));
  }
  pools.push_back(std::move(pool));
  return {};
}

std::vector<TopologyLevel> LevelsWithHost(const ClusterShape& shape) {
  std::vector<TopologyLevel> levels = shape.levels;
  levels.push_back({.domain = "host", .label = std::string(kHostnameLabel)});
  return levels;
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
  if (document.IsNull()) return shape;
  COPPICE_TRY(CheckFields(document, "the cluster",
                          {ClusterKey::topology, ClusterKey::levels, ClusterKey::pools}));
  const view::scenario::Cluster given(document);
  if (given.has_topology()) {
    COPPICE_ASSIGN(shape.levels, ParseTopology(QuantityText(given.topology(), "")));
  } else {
    COPPICE_ASSIGN(const Value levels, ListOf(document, ClusterKey::levels));
    COPPICE_ASSIGN(shape.levels, ReadLevels(levels));
  }
  COPPICE_ASSIGN(const Value pools, ListOf(document, ClusterKey::pools));
  for (const Value& item : pools.Items()) {
    COPPICE_TRY(AddPool(item, shape.pools));
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
                        edit::core::Node(node).metadata().labels());
      }
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

Value MakeTopologyBinding(const ClusterShape& shape, std::string_view name) {
  if (shape.levels.empty()) return {};
  Value binding = kube::NewObject(api::kClusterTopologyBindings, "", name);
  const auto spec = edit::grove::ClusterTopologyBinding(binding).spec();
  for (const TopologyLevel& level : LevelsWithHost(shape)) {
    spec.add_levels().set_key(level.label).set_domain(level.domain);
  }
  return binding;
}

}  // namespace coppice::sim
