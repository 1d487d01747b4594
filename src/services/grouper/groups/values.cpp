#include "services/grouper/groups/values.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/clock.h"
#include "json/write.h"

namespace coppice::services::grouper {
namespace {

// Plain text that YAML readers would take for a null, a boolean, a number or a date.
bool ResolvesToOtherType(const std::string& text) {
  static const re2::RE2 kWords("(?i:~|null|true|false|y|n|yes|no|on|off|[-+]?\\.inf|\\.nan|<<|=)");
  static const re2::RE2 kNumbers(
      "[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*|"
      "(\\.[0-9_]+|[0-9][0-9_]*(\\.[0-9_]*)?)([eE][-+]?[0-9]+)?)");
  static const re2::RE2 kDates("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?");
  return re2::RE2::FullMatch(text, kWords) || re2::RE2::FullMatch(text, kNumbers) ||
         re2::RE2::FullMatch(text, kDates);
}

bool IsPlain(std::string_view text) {
  static constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@` ";
  if (kIndicators.find(text.front()) != std::string_view::npos) return false;
  if (text.back() == ' ' || text.back() == ':') return false;
  if (text.find(": ") != std::string_view::npos) return false;
  if (text.find(" #") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20; });
}

std::string SingleQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

}  // namespace

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

std::string_view VersionOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<int64_t> ParseInt(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> CanonicalGoDuration(std::string_view text) {
  if (text.find_first_of("dw") != std::string_view::npos) return std::nullopt;
  const base::Result<base::Duration> duration = base::ParseDuration(text);
  if (!duration) return std::nullopt;
  return base::FormatDuration(*duration);
}

std::optional<std::string_view> FindText(TextMap map, std::string_view key) {
  if (!map.Has(key)) return std::nullopt;
  return map[key];
}

std::optional<std::string_view> FindLabel(const json::Value& object, std::string_view key) {
  return FindText(Object(object).metadata().labels(), key);
}

std::optional<std::string_view> FindAnnotation(const json::Value& object, std::string_view key) {
  return FindText(Object(object).metadata().annotations(), key);
}

base::Result<int64_t> RequireInt(const json::Value& value, std::string_view path) {
  if (value.IsInt()) return value.AsInt();
  return base::InvalidArgument(value.IsNull() ? fmt::format("{} is missing", path)
                                              : fmt::format("{} is not an integer", path));
}

base::Result<int64_t> IntOr(const json::Value& value, int64_t fallback, std::string_view path) {
  if (value.IsNull()) return fallback;
  return RequireInt(value, path);
}

base::Error BadValue(std::string_view what, std::string_view value, std::string_view expected) {
  return base::InvalidArgument(fmt::format("{} is \"{}\", which is not {}", what, value, expected));
}

std::string YamlString(std::string_view text) {
  if (text.empty()) return "\"\"";
  std::string quoted;
  if (ResolvesToOtherType(std::string(text))) {
    json::WriteString(text, quoted);
    return quoted;
  }
  return IsPlain(text) ? std::string(text) : SingleQuoted(text);
}

}  // namespace coppice::services::grouper
