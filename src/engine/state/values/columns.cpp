#include "engine/state/values/columns.h"

#include <algorithm>

namespace coppice::engine {

void NodeAmounts::Resize(int nodes, int resources) {
  const int stride = std::max(stride_, resources);
  for (auto* column : {&allocatable_, &idle_, &used_, &releasing_}) {
    if (stride != stride_) {
      std::vector<int64_t> wider(column->size() / stride_ * stride);
      for (size_t row = 0; row < column->size() / stride_; ++row) {
        std::copy_n(column->begin() + row * stride_, stride_, wider.begin() + row * stride);
      }
      column->swap(wider);
    }
    column->resize(static_cast<size_t>(nodes) * stride);
  }
  stride_ = stride;
}

}  // namespace coppice::engine
