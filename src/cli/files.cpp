#include "cli/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

namespace coppice::cli {

base::Result<std::string> ReadFile(const std::string& path) {
  std::stringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::NotFound("cannot read " + path + ": " + std::strerror(errno));
  text << file.rdbuf();
  return text.str();
}

}  // namespace coppice::cli
