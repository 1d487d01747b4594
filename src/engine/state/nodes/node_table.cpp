#include "engine/state/nodes/node_table.h"

#include <algorithm>
#include <utility>

namespace coppice::engine {

NodeId NodeTable::Find(std::string_view name) const {
  auto found = ids_.find(context_.names.Find(name));
  return found == ids_.end() || !nodes_[found->second].exists ? kNone : found->second;
}

NodeId NodeTable::ByName(std::string_view name) {
  const NameId id = context_.names.Intern(name);
  auto [found, added] = ids_.try_emplace(id, static_cast<NodeId>(nodes_.size()));
  if (added) {
    nodes_.emplace_back().name = id;
    FitResources();
  }
  return found->second;
}

void NodeTable::FitResources() {
  amounts_.Resize(static_cast<int>(nodes_.size()), context_.resources.size());
}

bool NodeTable::Put(NodeId id, const NodeSpec& spec, InputProblems& problems) {
  Node& node = nodes_[id];
  const bool is_new = !std::exchange(node.exists, true);
  NodeLabels labels(spec.labels, context_.names);
  const bool moved = labels != node.labels;
  node.labels = std::move(labels);
  Build(id, spec, problems);
  changed_ = true;
  return is_new || moved;
}

void NodeTable::Remove(NodeId id) {
  nodes_[id].exists = false;
  changed_ = true;
}

void NodeTable::AddForeignUse(NodeId node, const Sums& amount, int sign) {
  if (foreign_use_.size() < nodes_.size()) foreign_use_.resize(nodes_.size());
  foreign_use_[node].Add(amount, sign);
}

void NodeTable::AssumeGpuMemory(int64_t mib) {
  if (!min_gpu_memory_) min_gpu_memory_ = mib;
  if (!max_gpu_memory_) max_gpu_memory_ = mib;
}

void NodeTable::Refresh() {
  if (!std::exchange(changed_, false)) return;
  order_.clear();
  min_gpu_memory_.reset();
  max_gpu_memory_.reset();
  for (NodeId id = 0; id < static_cast<NodeId>(nodes_.size()); ++id) {
    const Node& node = nodes_[id];
    const bool kept = node.exists && (!context_.configuration.restrict_node_scheduling ||
                                      node.cpu_worker || node.gpu_worker);
    if (!kept) continue;
    order_.push_back(id);
    if (node.gpu_memory <= 100) continue;
    min_gpu_memory_ = std::min(min_gpu_memory_.value_or(node.gpu_memory), node.gpu_memory);
    max_gpu_memory_ = std::max(max_gpu_memory_.value_or(node.gpu_memory), node.gpu_memory);
  }
  const auto by_name = [&](NodeId a, NodeId b) {
    return context_.names.Text(nodes_[a].name) < context_.names.Text(nodes_[b].name);
  };
  if (!std::is_sorted(order_.begin(), order_.end(), by_name)) {
    std::sort(order_.begin(), order_.end(), by_name);
  }
  for (size_t i = 0; i < order_.size(); ++i) nodes_[order_[i]].rank = static_cast<int32_t>(i);
}

int64_t NodeTable::IdleGpuSum(NodeId node) const {
  int64_t sum = TotalGpus(context_.resources, amounts_.idle(node));
  const int64_t device = nodes_[node].gpu_memory;
  for (const auto& group : nodes_[node].groups) {
    if (group.allocated > 0) sum += (100 - CeilPercent(group.allocated, device)) * kGpuUnit / 100;
  }
  return sum;
}

int64_t NodeTable::ReleasingGpuSum(NodeId node) const {
  int64_t sum = TotalGpus(context_.resources, amounts_.releasing(node));
  const int64_t device = nodes_[node].gpu_memory;
  for (const auto& group : nodes_[node].groups) {
    if (group.releasing > 0 && group.releasing != group.used) {
      sum += CeilPercent(group.releasing, device) * kGpuUnit / 100;
    }
  }
  return sum;
}

double NodeTable::FreeGpus(NodeId node) const {
  double idle = 0, releasing = 0;
  const int64_t device = nodes_[node].gpu_memory;
  const auto part = [&](int64_t memory) {
    return static_cast<double>(CeilPercent(memory, device)) / 100;
  };
  for (const auto& group : nodes_[node].groups) {
    if (group.allocated > 0) idle += 1 - part(group.allocated);
    if (group.releasing > 0 && group.releasing != group.used) releasing += part(group.releasing);
  }
  idle += InDevices(TotalGpus(context_.resources, amounts_.idle(node)));
  releasing += InDevices(TotalGpus(context_.resources, amounts_.releasing(node)));
  return idle + releasing;
}

double NodeTable::SharedGpusFree(NodeId node) const {
  const int64_t device = nodes_[node].gpu_memory;
  double free = 0;
  for (const auto& group : nodes_[node].groups) {
    const int64_t memory = device - group.allocated + group.releasing;
    if (group.used > 0 && memory > 0) {
      free += static_cast<double>(memory) / static_cast<double>(device);
    }
  }
  return free;
}

int64_t NodeTable::IdleGpuMemory(NodeId node) const {
  const int64_t device = nodes_[node].gpu_memory;
  int64_t sum = TotalGpus(context_.resources, amounts_.idle(node)) / kGpuUnit * device;
  for (const auto& group : nodes_[node].groups) {
    if (group.allocated > 0) sum += device - group.allocated;
  }
  return sum;
}

int64_t NodeTable::ReleasingGpuMemory(NodeId node) const {
  const int64_t device = nodes_[node].gpu_memory;
  int64_t sum = TotalGpus(context_.resources, amounts_.releasing(node)) / kGpuUnit * device;
  for (const auto& group : nodes_[node].groups) {
    if (group.releasing > 0 && group.releasing != group.used) sum += group.releasing;
  }
  return sum;
}

}  // namespace coppice::engine
