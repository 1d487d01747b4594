#pragma once

#include <string_view>

#include "base/result.h"

namespace coppice::store {

// What a start says that finds its files other than they were left: which file, what is wrong with
// it, and the two ways out.
base::Error Damaged(std::string_view file, std::string_view what);

}  // namespace coppice::store
