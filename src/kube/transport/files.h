#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::kube {

// NotFound when there is no such file, Unavailable when it cannot be read.
base::Result<std::string> ReadFile(const std::string& path);
// Without white space at both ends.
std::string TrimSpace(std::string_view text);
// `path` as seen from `dir`; absolute ones stay.
std::string ResolvePath(const std::string& dir, const std::string& path);

}  // namespace coppice::kube
