#pragma once

#include <string>

#include "base/result.h"

namespace coppice::base {

// A file's bytes. NotFound when there is no such file, InvalidArgument when it is a directory,
// Unavailable when it cannot be read.
Result<std::string> ReadFile(const std::string& path);

}  // namespace coppice::base
