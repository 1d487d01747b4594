#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace coppice::engine::testing {

// The source of random worlds: an endless sequence from a seed, or a list that rapidcheck generates
// and shrinks, after whose end everything is as small and as rare as possible.
class Choices {
 public:
  explicit Choices(uint32_t seed) : random_(seed) {}
  explicit Choices(std::vector<uint32_t> given) : given_(std::move(given)), listed_(true) {}

  int Pick(int low, int high) {
    return low + static_cast<int>(Next() % (static_cast<uint32_t>(high - low) + 1));
  }
  bool Chance(int percent) { return Pick(0, 99) >= 100 - percent; }

 private:
  uint32_t Next() {
    if (!listed_) return static_cast<uint32_t>(random_());
    return at_ < given_.size() ? given_[at_++] : 0;
  }

  std::mt19937 random_;
  std::vector<uint32_t> given_;
  size_t at_ = 0;
  bool listed_ = false;
};

}  // namespace coppice::engine::testing
