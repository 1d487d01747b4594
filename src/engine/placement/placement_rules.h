#pragma once

#include <cstdint>

namespace coppice::engine {

// Rules that a pod, its node or other pods set, apart from amounts; to ask what if one were gone.
enum class PlacementRule : uint8_t {
  kNodeAffinity,
  kTaints,
  kPodAffinity,
  kPodAntiAffinity,
  kHostPorts,
  kCount
};

class PlacementRules {
 public:
  static PlacementRules All() {
    return PlacementRules((1 << static_cast<int>(PlacementRule::kCount)) - 1);
  }
  PlacementRules() = default;
  bool Has(PlacementRule rule) const { return bits_ >> static_cast<int>(rule) & 1; }
  bool empty() const { return bits_ == 0; }
  PlacementRules Without(PlacementRule rule) const {
    return PlacementRules(bits_ & ~(1 << static_cast<int>(rule)));
  }

 private:
  explicit PlacementRules(int bits) : bits_(bits) {}
  int bits_ = 0;
};

}  // namespace coppice::engine
