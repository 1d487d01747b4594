#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::base {

// A file's bytes. NotFound when there is no such file, InvalidArgument when it is a directory,
// Unavailable when it cannot be read.
Result<std::string> ReadFile(const std::string& path);
// Writes a file that only its owner can read, in a folder that exists.
Status WriteSecretFile(const std::string& path, std::string_view text);

}  // namespace coppice::base
