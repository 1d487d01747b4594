#pragma once

#include <span>
#include <vector>

#include "engine/state/values/names.h"
#include "engine/state/values/resources.h"

namespace coppice::engine {

// The amounts of all nodes: one row per node, of equal length, contiguous in memory.
class NodeAmounts {
 public:
  int stride() const { return stride_; }
  void Resize(int nodes, int resources);

  std::span<int64_t> allocatable(NodeId node) { return Row(allocatable_, node); }
  std::span<int64_t> idle(NodeId node) { return Row(idle_, node); }
  std::span<int64_t> used(NodeId node) { return Row(used_, node); }
  std::span<int64_t> releasing(NodeId node) { return Row(releasing_, node); }
  std::span<const int64_t> allocatable(NodeId node) const { return Row(allocatable_, node); }
  std::span<const int64_t> idle(NodeId node) const { return Row(idle_, node); }
  std::span<const int64_t> used(NodeId node) const { return Row(used_, node); }
  std::span<const int64_t> releasing(NodeId node) const { return Row(releasing_, node); }

 private:
  std::span<int64_t> Row(std::vector<int64_t>& column, NodeId node) {
    return {column.data() + static_cast<size_t>(node) * stride_, static_cast<size_t>(stride_)};
  }
  std::span<const int64_t> Row(const std::vector<int64_t>& column, NodeId node) const {
    return {column.data() + static_cast<size_t>(node) * stride_, static_cast<size_t>(stride_)};
  }

  int stride_ = kPods + 1;
  std::vector<int64_t> allocatable_, idle_, used_, releasing_;
};

}  // namespace coppice::engine
