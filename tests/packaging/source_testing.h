#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "source_dir.h"

namespace coppice {

// A file of the source tree.
inline std::string ReadSource(const std::string& path) {
  std::ifstream file(COPPICE_SOURCE_DIR "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace coppice
