#include "cli/common/files.h"

#include <iostream>
#include <sstream>

#include "base/files.h"

namespace coppice::cli {

base::Result<std::string> ReadFile(const std::string& path) {
  if (path != "-") return base::ReadFile(path);
  std::stringstream text;
  text << std::cin.rdbuf();
  return text.str();
}

}  // namespace coppice::cli
