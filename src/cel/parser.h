#pragma once

#include <string_view>

#include "base/result.h"
#include "cel/ast.h"

namespace coppice::cel {

inline constexpr size_t kMaxSourceBytes = 64 * 1024;
inline constexpr size_t kMaxDepth = 200;

// Parses one expression and expands the macros (has, all, exists, exists_one, filter, map,
// cel.bind, optMap, optFlatMap). Errors name the place as "line:column".
base::Result<NodePtr> ParseExpression(std::string_view source);

}  // namespace coppice::cel
