#pragma once

#include <cstdint>

namespace coppice::engine {

// How deep sub-groups of a pod group may be nested: searches go down their tree by recursion.
inline constexpr int32_t kMaxSubGroupDepth = 64;

}  // namespace coppice::engine
