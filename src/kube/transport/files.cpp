#include "kube/transport/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace coppice::kube {

base::Result<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return base::InvalidArgument(path + " is a directory");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::string message = "cannot read " + path + ": " + std::strerror(errno);
    return errno == ENOENT ? base::NotFound(message) : base::Unavailable(message);
  }
  std::ostringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

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
