#pragma once

#include <string_view>
#include <vector>

namespace coppice::page {

// The files of web/, which the build embeds (cmake/web.cmake).
struct Asset {
  std::string_view path;  // "/app.js".
  std::string_view type;  // Its content type.
  std::string_view content;
  std::string_view hash;  // Of the content.
};

// Null if there is no such file.
const Asset* FindAsset(std::string_view path);
// Generated.
const std::vector<Asset>& AllAssets();

}  // namespace coppice::page
