#pragma once

#include "scenario/invariants/world.h"

// What must be true of pods that were bound since the last look. Later changes may break it without
// anybody's fault: a limit is lowered, a member of a gang dies.
namespace coppice::scenario {

using FreshPods = std::vector<const json::Value*>;

// The queue and every queue above it stay within their limits.
void CheckQueueLimits(const World& world, const FreshPods& fresh, Violations& out);

// The pod's gang has its minimum, in every sub-group that the tree requires.
class ShortGangs {
 public:
  // A crash may cut a gang's binds in two: it is then whole, or gone, within the grace.
  void Check(const World& world, const FreshPods& fresh, base::Duration grace, Violations& out);

 private:
  using Members = std::map<std::string, std::string>;  // Leaf by pod uid.

  std::map<std::string, base::Time> short_since_;  // By the group's uid.
  std::map<std::string, Members> before_;          // At the last look, likewise.
};

}  // namespace coppice::scenario
