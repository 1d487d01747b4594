#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace coppice::cel {

// A semantic version, "1.2.3-rc.1+build". Build metadata does not take part in comparisons.
struct Semver {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::vector<std::string> prerelease;

  // Strict by default; `normalize` accepts a leading v, missing minor or patch and leading zeros.
  static base::Result<Semver> Parse(std::string_view text, bool normalize = false);

  friend bool operator==(const Semver&, const Semver&) = default;
  friend std::strong_ordering operator<=>(const Semver& a, const Semver& b);
};

}  // namespace coppice::cel
