#pragma once

#include <set>

#include "scenario/invariants/world.h"

namespace coppice::scenario {

// Gates that are not ours stay until whoever put them there takes them off, and no pod is bound
// behind any gate.
class Gates {
 public:
  void Check(const World& world, Violations& out);
  // Takes the present gates for granted: somebody outside the product may have changed them.
  void Accept(const World& world);

 private:
  std::map<std::string, std::set<std::string>> foreign_;  // By pod uid.
};

}  // namespace coppice::scenario
