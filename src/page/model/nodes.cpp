#include "page/model/nodes.h"

#include <algorithm>

#include "page/model/cells.h"

namespace coppice::page {
namespace {

// Less of these and hardly any pod with a GPU starts.
constexpr double kLeastCpu = 0.1, kLeastMemory = 128 << 20;

// A node while its pods are counted.
struct NodeCount {
  Cells cells;
  Amounts held;
  int64_t pods = 0;
};

std::string WhyStranded(const NodeFacts& node, const NodeCount& count) {
  if (!node.ready) return "not ready";
  if (node.cordoned) return "cordoned";
  if (node.has.cpu - count.held.cpu < kLeastCpu) return "no CPU left";
  if (node.has.memory - count.held.memory < kLeastMemory) return "no memory left";
  if (node.max_pods > 0 && static_cast<double>(count.pods) >= node.max_pods) {
    return "no room for another pod";
  }
  return "";
}

NodeRow MakeRow(const std::string& name, const NodeFacts& node, const NodeCount& count,
                const Places& places) {
  NodeRow row;
  row.id = name;
  row.path = places.PathOf(name);
  row.has = node.has;
  row.cpu_held = count.held.cpu;
  row.memory_held = count.held.memory;
  row.free = std::max(0.0, node.has.gpus - count.cells.Held());
  row.pods = count.pods;
  row.cells = count.cells.ToString();
  row.taints = node.taints;
  if (!node.ready) row.state.emplace_back("notReady");
  if (node.cordoned) row.state.emplace_back("cordoned");
  if (!node.taints.empty()) row.state.emplace_back("tainted");
  if (row.free > 0) row.stranded = WhyStranded(node, count);
  return row;
}

void AddToOverview(const NodeFacts& node, const NodeRow& row, const NodeCount& count,
                   OverviewRow& overview) {
  const double parts = count.cells.Parts();
  ++overview.nodes;
  overview.nodes_ready += node.ready;
  overview.pods += row.pods;
  overview.gpus += row.has.gpus;
  overview.held += std::min(count.cells.Held(), row.has.gpus) - parts;
  overview.parts += parts;
  if (!row.stranded.empty()) {
    overview.stranded += row.free;
  } else {
    overview.largest_hole = std::max(overview.largest_hole, row.free);
  }
}

}  // namespace

std::vector<NodeRow> NodeRows(const Facts& facts, const Places& places, const Workloads& workloads,
                              OverviewRow& overview) {
  std::unordered_map<std::string_view, NodeCount> counts;
  for (const auto& [key, pod] : facts.pods) {
    if (!pod.Active() || !pod.Placed()) continue;
    const auto node = facts.nodes.find(pod.node);
    NodeCount& count = counts[pod.node];
    ++count.pods;
    count.held += pod.asks;
    // Its GPU is counted with those who share it.
    if (pod.reserves || node == facts.nodes.end()) continue;
    if (pod.asks.gpus == 0 && pod.shared == 0) continue;
    count.cells.Add(pod, workloads.NumberOf(key, pod), node->second.gpu_memory_mib);
  }
  std::vector<NodeRow> rows;
  rows.reserve(facts.nodes.size());
  for (const auto& [name, node] : facts.nodes) {
    const NodeCount& count = counts[name];
    rows.push_back(MakeRow(name, node, count, places));
    AddToOverview(node, rows.back(), count, overview);
  }
  return rows;
}

}  // namespace coppice::page
