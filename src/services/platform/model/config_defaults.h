#pragma once

#include <string>

#include "api/view/kai.h"
#include "json/value.h"

// KAI's Config with its defaults (docs/behaviour/platform.md K-83), without I/O.
namespace coppice::services::platform {

// The image settings of the platform's own process.
struct ImageDefaults {
  std::string repository;  // MS_REPOSITORY.
  std::string tag;         // MS_TAG.
  // Ours: one image with every service, used by services whose Config names no image.
  std::string single_image;
};

inline constexpr std::string_view kConfigName = "kai-config";

// The spec of a Config, complete: with every block, and every field that has a default.
json::Value ConfigWithDefaults(const json::Value& spec, const ImageDefaults& images);

// "repository/name:tag".
std::string ImageUrl(view::kai::ConfigImage image);

}  // namespace coppice::services::platform
