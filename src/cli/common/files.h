#pragma once

#include <string>

#include "base/result.h"

namespace coppice::cli {

// A whole file; "-" reads standard input.
base::Result<std::string> ReadFile(const std::string& path);

}  // namespace coppice::cli
