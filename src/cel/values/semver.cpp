#include "cel/values/semver.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace coppice::cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNumeric(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsDigit);
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t dot = text.find('.');
    parts.emplace_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

base::Error Bad(std::string_view text) {
  return base::InvalidArgument(fmt::format("\"{}\" is not a semantic version", text));
}

bool ToNumber(std::string_view text, bool leading_zeros, uint64_t& out) {
  if (!IsNumeric(text) || (!leading_zeros && text.size() > 1 && text[0] == '0')) return false;
  return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc();
}

std::strong_ordering CompareIdentifiers(const std::string& a, const std::string& b) {
  const bool a_numeric = IsNumeric(a);
  const bool b_numeric = IsNumeric(b);
  if (a_numeric != b_numeric) {
    return a_numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  // Numbers without leading zeros: the longer is the greater.
  if (a_numeric && a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

}  // namespace

base::Result<Semver> Semver::Parse(std::string_view text, bool normalize) {
  std::string_view rest = text;
  if (normalize && rest.starts_with('v')) rest.remove_prefix(1);
  const size_t plus = rest.find('+');
  if (plus != std::string_view::npos) {
    for (const auto& part : Split(rest.substr(plus + 1))) {
      if (!IsIdentifier(part)) return Bad(text);
    }
  }
  rest = rest.substr(0, plus);
  Semver version;
  const size_t dash = rest.find('-');
  if (dash != std::string_view::npos) {
    version.prerelease = Split(rest.substr(dash + 1));
    for (const auto& part : version.prerelease) {
      const bool leading_zero = IsNumeric(part) && part.size() > 1 && part[0] == '0';
      if (!IsIdentifier(part) || leading_zero) return Bad(text);
    }
  }
  auto numbers = Split(rest.substr(0, dash));
  while (normalize && numbers.size() < 3) numbers.emplace_back("0");
  if (numbers.size() != 3 || !ToNumber(numbers[0], normalize, version.major) ||
      !ToNumber(numbers[1], normalize, version.minor) ||
      !ToNumber(numbers[2], normalize, version.patch)) {
    return Bad(text);
  }
  return version;
}

std::strong_ordering operator<=>(const Semver& a, const Semver& b) {
  if (const auto order = a.major <=> b.major; order != 0) return order;
  if (const auto order = a.minor <=> b.minor; order != 0) return order;
  if (const auto order = a.patch <=> b.patch; order != 0) return order;
  // A version without prerelease comes after those with one.
  if (a.prerelease.empty() || b.prerelease.empty()) {
    return a.prerelease.empty() <=> b.prerelease.empty();
  }
  const size_t shared = std::min(a.prerelease.size(), b.prerelease.size());
  for (size_t i = 0; i < shared; ++i) {
    const auto order = CompareIdentifiers(a.prerelease[i], b.prerelease[i]);
    if (order != 0) return order;
  }
  return a.prerelease.size() <=> b.prerelease.size();
}

}  // namespace coppice::cel
