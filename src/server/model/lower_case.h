#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace coppice::server {

// Of ASCII letters; others stay as they are.
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace coppice::server
