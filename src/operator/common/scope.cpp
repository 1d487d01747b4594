#include "operator/common/scope.h"

#include <algorithm>
#include <numeric>

namespace coppice::operators::podcliqueset {

std::vector<int> Scope::Of(int count) const {
  if (replicas_) return {replicas_->begin(), replicas_->lower_bound(count)};
  std::vector<int> every(static_cast<size_t>(std::max(count, 0)));
  std::iota(every.begin(), every.end(), 0);
  return every;
}

}  // namespace coppice::operators::podcliqueset
