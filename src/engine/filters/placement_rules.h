#pragma once

#include <cstdint>

namespace coppice::engine {

// Rules set by a pod, its node or other pods, apart from amounts, for what-if questions. If
// dropping either of two rules would help, the later one is named.
enum class PlacementRule : uint8_t {
  kVolumes,  // Where the pod's volumes can be used.
  kNodeAffinity,
  kTaints,
  kPodAffinity,
  kPodAntiAffinity,
  kHostPorts,
  kNodeState,  // The node is cordoned, NotReady or under pressure; by conditions or by taints.
  kCount
};

class PlacementRules {
 public:
  static PlacementRules All() {
    return PlacementRules((1 << static_cast<int>(PlacementRule::kCount)) - 1);
  }
  static PlacementRules Only(PlacementRule rule) {
    return PlacementRules(1 << static_cast<int>(rule));
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
