#pragma once

#include <algorithm>
#include <cstddef>

namespace coppice::engine {

// The largest count up to `all` for which `solved` returns true: doubles, then bisects
// (docs/behaviour/engine.md S-48). 0: not even one. Never asks about more than a count that failed.
template <typename Solved>
size_t LargestSolvable(size_t all, Solved solved) {
  size_t best = 0, failing = all + 1;
  for (size_t count = 1; best < all; count = std::min(count * 2, all)) {
    if (!solved(count)) {
      failing = count;
      break;
    }
    best = count;
  }
  while (best > 0 && failing <= all && failing - best > 1) {
    const size_t middle = (best + failing) / 2;
    (solved(middle) ? best : failing) = middle;
  }
  return best;
}

}  // namespace coppice::engine
