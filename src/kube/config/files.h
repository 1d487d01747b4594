#pragma once

#include <string>
#include <string_view>

namespace coppice::kube {

// Without white space at both ends.
std::string TrimSpace(std::string_view text);
// `path` as seen from `dir`; absolute ones stay.
std::string ResolvePath(const std::string& dir, const std::string& path);

}  // namespace coppice::kube
