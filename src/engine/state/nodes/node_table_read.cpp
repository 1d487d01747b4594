#include <algorithm>
#include <cstdlib>
#include <set>

#include "engine/state/nodes/node_table.h"

// Reads node specs.

namespace coppice::engine {
namespace {

const std::string* Label(const NodeSpec& spec, const std::string& key) {
  auto found = spec.labels.find(key);
  return found == spec.labels.end() ? nullptr : &found->second;
}

bool ParseInt(const std::string* text, int64_t& value) {
  if (!text || text->empty()) return false;
  char* end = nullptr;
  value = std::strtoll(text->c_str(), &end, 10);
  return end == text->c_str() + text->size();
}

bool ParseBool(const std::string& text, bool& value) {
  static const std::set<std::string> kTrue{"1", "t", "T", "TRUE", "true", "True"};
  static const std::set<std::string> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  value = kTrue.contains(text);
  return value || kFalse.contains(text);
}

// MiB per device, rounded down to a multiple of 100; some exporters write bytes.
int64_t ReadGpuMemory(const NodeSpec& spec, bool& synced) {
  int64_t memory = 0;
  synced = ParseInt(Label(spec, "nvidia.com/gpu.memory"), memory) && memory > 0;
  if (!synced) return 100;
  if (memory >= 1 << 20) memory >>= 20;
  return std::max<int64_t>(memory - memory % 100, 100);
}

// Empty if pods may be placed on the node.
std::vector<std::string> NotReadyReasons(const NodeSpec& spec) {
  std::vector<std::string> reasons;
  if (spec.unschedulable) reasons.push_back("node is unschedulable");
  static const std::set<std::string> kPressure{"MemoryPressure", "DiskPressure", "PIDPressure",
                                               "NetworkUnavailable"};
  for (const auto& condition : spec.conditions) {
    if (condition.type == "Ready" && condition.status != "True") {
      reasons.push_back("node has NotReady condition");
    }
    if (kPressure.contains(condition.type) && condition.status != "False") {
      reasons.push_back("node has " + condition.type + " condition");
    }
  }
  return reasons;
}

int ZoneNumber(const std::string& name) {
  size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  return at == name.size() || name.size() - at > 8 ? -1 : std::atoi(name.c_str() + at);
}

std::vector<const NumaZone*> SortedZones(const NumaTopology& numa) {
  std::vector<const NumaZone*> zones;
  for (const auto& zone : numa.zones) zones.push_back(&zone);
  std::sort(zones.begin(), zones.end(), [](const NumaZone* a, const NumaZone* b) {
    const int x = ZoneNumber(a->name), y = ZoneNumber(b->name);
    return std::make_tuple(x < 0, x, a->name) < std::make_tuple(y < 0, y, b->name);
  });
  return zones;
}

}  // namespace

void NodeTable::Build(NodeId id, const NodeSpec& spec, InputProblems& problems) {
  Node& node = nodes_[id];
  ReadAllocatable(id, spec, problems);
  node.taints = spec.taints;
  node.gpu_memory = ReadGpuMemory(spec, node.memory_synced);
  if (!ParseInt(Label(spec, "nvidia.com/gpu.count"), node.gpu_count)) {
    node.gpu_count = amounts_.allocatable(id)[kGpu] / kGpuUnit;
  }
  ReadMig(id, spec);
  node.cpu_worker = Label(spec, context_.configuration.cpu_worker_label) != nullptr;
  node.gpu_worker = Label(spec, context_.configuration.gpu_worker_label) != nullptr;
  std::vector<NameId> not_ready;
  for (const auto& reason : NotReadyReasons(spec))
    not_ready.push_back(context_.names.Intern(reason));
  node.not_ready = context_.name_lists.Intern(not_ready);
  node.ready = node.not_ready == 0;
  const int64_t in_slices = std::exchange(node.dra_gpus, 0);
  SetDraGpus(id, in_slices);
  node.numa = spec.numa && !spec.numa->zones.empty() ? BuildNuma(*spec.numa) : nullptr;
}

void NodeTable::ReadAllocatable(NodeId id, const NodeSpec& spec, InputProblems& problems) {
  Amounts allocatable(context_.resources.size());
  context_.resources.Add(spec.allocatable, allocatable);
  for (auto& amount : allocatable) {
    if (amount < 0)
      problems.Report("Node", spec.name, "negative allocatable amount is read as zero");
    amount = std::max<int64_t>(amount, 0);
  }
  FitResources();
  allocatable.resize(amounts_.stride());
  std::copy(allocatable.begin(), allocatable.end(), amounts_.allocatable(id).begin());
  std::vector<NameId> offers;
  for (const auto& [name, amount] : spec.allocatable) {
    if (amount.Sign() > 0) offers.push_back(context_.names.Intern(name));
  }
  nodes_[id].offers = context_.name_lists.Intern(offers);
}

void NodeTable::ReadMig(NodeId id, const NodeSpec& spec) {
  Node& node = nodes_[id];
  bool any_mig = false;
  for (int i = kPods + 1; i < context_.resources.size(); ++i) {
    any_mig |= context_.resources.IsMig(i) && amounts_.allocatable(id)[i];
  }
  const std::string* mig_label = Label(spec, context_.configuration.mig_worker_label);
  bool mig_worker = false;
  node.mig = mig_label ? ParseBool(*mig_label, mig_worker) && mig_worker : any_mig;
  const std::string* strategy = Label(spec, "nvidia.com/mig.strategy");
  // The label alone is not enough: exporters also set it on nodes without MIG.
  node.mig_strategy = !strategy || !node.mig  ? MigStrategy::kNone
                      : *strategy == "mixed"  ? MigStrategy::kMixed
                      : *strategy == "single" ? MigStrategy::kSingle
                                              : MigStrategy::kNone;
}

void NodeTable::SetDraGpus(NodeId id, int64_t count) {
  Node& node = nodes_[id];
  int64_t& gpus = amounts_.allocatable(id)[kGpu];
  gpus += (count - node.dra_gpus) * kGpuUnit;
  node.dra_gpus = count;
  node.has_dra_gpus = count > 0;
  node.cpu_only = !node.mig && gpus <= 0 && !node.has_dra_gpus;
  changed_ = true;
}

std::vector<int64_t> NodeTable::ZoneAmounts(const std::map<std::string, int64_t>& by_name) {
  std::vector<int64_t> row(context_.resources.size());
  for (const auto& [name, amount] : by_name) {
    const auto index = context_.resources.IndexOf(name);
    if (!index) continue;
    row.resize(std::max<size_t>(row.size(), context_.resources.size()));
    // Plain units, except for cpu (already milli) and GPUs (thousandths).
    row[*index] += *index == kGpu ? amount * kGpuUnit : amount;
  }
  return row;
}

std::unique_ptr<NodeNuma> NodeTable::BuildNuma(const NumaTopology& given) {
  auto numa = std::make_unique<NodeNuma>();
  numa->policy = given.policy;
  numa->scope = given.scope;
  for (const NumaZone* zone : SortedZones(given)) {
    numa->zone_names.push_back(context_.names.Intern(zone->name));
    numa->allocatable.push_back(ZoneAmounts(zone->allocatable));
    numa->available.push_back(ZoneAmounts(zone->available));
  }
  std::set<std::string> reported;
  for (const auto& zone : given.zones) {
    for (const auto& [name, amount] : zone.allocatable) reported.insert(name);
    for (const auto& [name, amount] : zone.available) reported.insert(name);
  }
  numa->reported.resize(context_.resources.size());
  for (const auto& name : reported) {
    if (const auto index = context_.resources.IndexOf(name))
      numa->reported[*index] = context_.names.Intern(name);
  }
  return numa;
}

}  // namespace coppice::engine
