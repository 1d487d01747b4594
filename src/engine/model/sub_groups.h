#pragma once

#include <cstdint>

namespace coppice::engine {

// The maximum nesting depth of sub-groups in a pod group: searches recurse into their tree.
inline constexpr int32_t kMaxSubGroupDepth = 64;

}  // namespace coppice::engine
