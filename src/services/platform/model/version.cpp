#include "services/platform/model/version.h"

#include <array>
#include <charconv>
#include <optional>

namespace coppice::services::platform {
namespace {

using Parts = std::array<int, 3>;

std::optional<Parts> Read(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  Parts parts{};
  for (int& part : parts) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(end - text.data());
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return parts;
}

}  // namespace

bool IsAtLeast(std::string_view version, std::string_view bound) {
  const auto a = Read(version), b = Read(bound);
  return a && b && *a >= *b;
}

}  // namespace coppice::services::platform
