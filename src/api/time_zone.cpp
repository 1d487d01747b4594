#include "api/time_zone.h"

#include <fmt/format.h>

#include <filesystem>

namespace coppice::api {

base::Status CheckTimeZoneName(std::string_view name) {
  if (name.empty() || name == "UTC" || name == "Local") return {};
  if (name.find("..") != name.npos || name.front() == '/' || name.front() == '\\') {
    return base::InvalidArgument("time: invalid location name");
  }
  const std::filesystem::path zones = "/usr/share/zoneinfo";
  std::error_code ignored;
  if (!std::filesystem::is_directory(zones, ignored)) return {};
  if (std::filesystem::is_regular_file(zones / name, ignored)) return {};
  if (std::filesystem::is_directory(zones / name, ignored)) {
    return base::InvalidArgument("is a directory");
  }
  return base::InvalidArgument(fmt::format("unknown time zone {}", name));
}

}  // namespace coppice::api
