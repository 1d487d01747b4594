#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coppice::base {

struct Ancestry {
  int32_t depth = 0;  // How many ancestors; -1 where the way up never ends.
  int32_t top = -1;   // The last of them, the node itself without any; -1 where there is none.
};

// Of each node, by the index of its parent (-1 for none). Linear, whatever the shape: users choose
// parents.
std::vector<Ancestry> Ancestries(std::span<const int32_t> parents);

}  // namespace coppice::base
