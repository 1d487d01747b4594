#pragma once

#include <string_view>

#include "base/result.h"

namespace coppice::store {

// The error at startup for files that were changed or damaged: which file, what is wrong, and the
// two options.
base::Error Damaged(std::string_view file, std::string_view what);

}  // namespace coppice::store
