#include "base/forest.h"

namespace coppice::base {
namespace {

constexpr int32_t kUnseen = -2;

// What follows for a child.
Ancestry Below(const Ancestry& parent) {
  return parent.depth < 0 ? parent : Ancestry{parent.depth + 1, parent.top};
}

}  // namespace

std::vector<Ancestry> Ancestries(std::span<const int32_t> parents) {
  std::vector<Ancestry> out(parents.size(), {kUnseen, -1});
  std::vector<int32_t> path;
  for (size_t start = 0; start < parents.size(); ++start) {
    auto at = static_cast<int32_t>(start);
    // Nodes of the way up count as circular until it ends: one that is met again is.
    for (; at >= 0 && out[at].depth == kUnseen; at = parents[at]) {
      out[at].depth = -1;
      path.push_back(at);
    }
    Ancestry next = at >= 0 ? Below(out[at]) : Ancestry{0, path.empty() ? -1 : path.back()};
    for (; !path.empty(); path.pop_back()) {
      out[path.back()] = next;
      next = Below(next);
    }
  }
  return out;
}

}  // namespace coppice::base
