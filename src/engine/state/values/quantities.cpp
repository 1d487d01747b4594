#include "engine/state/values/quantities.h"

namespace coppice::engine {

bool WithinAll(const Quantities& a, const Quantities& b) {
  for (int i = 0; i < 3; ++i) {
    if (b[i] == kUnlimited) continue;
    if (a[i] == kUnlimited || a[i] > b[i]) return false;
  }
  return true;
}

}  // namespace coppice::engine
