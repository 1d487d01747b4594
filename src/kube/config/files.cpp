#include "kube/config/files.h"

#include <filesystem>

namespace coppice::kube {

std::string TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) - begin + 1));
}

std::string ResolvePath(const std::string& dir, const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  return (std::filesystem::path(dir) / path).lexically_normal().string();
}

}  // namespace coppice::kube
