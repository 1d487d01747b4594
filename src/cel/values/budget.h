#pragma once

#include <cstddef>

namespace coppice::cel {

// What an evaluation may cost. Functions charge what Kubernetes' cost model says before they do the
// work, and inside of loops, so that an evaluation ends when its budget does. That model takes some
// operations on values of any size for one step (reading a field, size()); those charge the bytes
// that they touch, at a rate that only large values notice.
class Budget {
 public:
  static constexpr size_t kBytesPerStep = 256;

  explicit Budget(size_t steps) : left_(steps) {}
  // False when nothing is left; evaluation then ends with an error that nothing absorbs.
  bool Spend(size_t steps) {
    if (exhausted_ || steps > left_) {
      exhausted_ = true;
      return false;
    }
    left_ -= steps;
    return true;
  }
  bool SpendBytes(size_t bytes) {
    bytes_ += bytes;
    const size_t steps = bytes_ / kBytesPerStep;
    bytes_ %= kBytesPerStep;
    return Spend(steps);
  }
  bool exhausted() const { return exhausted_; }
  size_t left() const { return exhausted_ ? 0 : left_; }

 private:
  size_t left_;
  size_t bytes_ = 0;  // Not charged yet.
  bool exhausted_ = false;
};

// The price of walking once over a text of this size.
constexpr size_t TraversalCost(size_t bytes) { return (bytes + 9) / 10; }

}  // namespace coppice::cel
