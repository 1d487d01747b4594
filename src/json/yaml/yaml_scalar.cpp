#include "json/yaml/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace coppice::json {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool OneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<Value> NamedScalar(std::string_view text) {
  if (OneOf(text, {"", "~", "null", "Null", "NULL"})) return Value();
  if (OneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return Value(true);
  }
  if (OneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return Value(false);
  }
  return std::nullopt;
}

bool IsNotANumber(std::string_view text) {
  return OneOf(text, {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF",
                      "-.inf", "-.Inf", "-.INF"});
}

// The base that the prefix asks for, with the prefix removed.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  int base = 8;
  size_t prefix = 2;
  switch (digits[1]) {
    case 'x':
    case 'X':
      base = 16;
      break;
    case 'b':
    case 'B':
      base = 2;
      break;
    case 'o':
    case 'O':
      break;
    default:
      prefix = 1;
  }
  digits.remove_prefix(prefix);
  return base;
}

std::optional<int64_t> ToInt(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const int base = TakeBase(text);
  uint64_t magnitude = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, magnitude, base);
  if (text.empty() || error != std::errc() || end != last) return std::nullopt;
  const uint64_t limit = uint64_t{1} << 63;
  if (magnitude > limit || (magnitude == limit && !negative)) return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

size_t CountDigits(std::string_view text) {
  return static_cast<size_t>(std::ranges::find_if_not(text, IsDigit) - text.begin());
}

// [-+]? ( .digits | digits [. digits?] ) ( e [-+]? digits )?
bool HasFloatForm(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const size_t whole = CountDigits(text);
  text.remove_prefix(whole);
  size_t fraction = 0;
  if (text.starts_with('.')) {
    fraction = CountDigits(text.substr(1));
    text.remove_prefix(1 + fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && CountDigits(text) == text.size();
}

std::optional<double> ToFloat(std::string_view text) {
  if (!HasFloatForm(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<Value> NumberScalar(std::string_view text) {
  if (text.empty() || (!IsDigit(text[0]) && text[0] != '+' && text[0] != '-' && text[0] != '.')) {
    return std::nullopt;
  }
  std::string plain(text);
  std::erase(plain, '_');
  if (const auto number = ToInt(plain)) return Value(*number);
  const auto number = ToFloat(plain);
  if (!number) return std::nullopt;
  const bool integral = std::trunc(*number) == *number && std::abs(*number) < 9.2e18;
  return integral ? Value(static_cast<int64_t>(*number)) : Value(*number);
}

// digits(:digits below 60)+, as YAML 1.1 wrote times and angles.
bool IsSexagesimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !IsDigit(text[0])) return false;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto digit_or_underscore = [](char c) { return IsDigit(c) || c == '_'; };
  if (!std::ranges::all_of(text.substr(0, colon), digit_or_underscore)) return false;
  text.remove_prefix(colon);
  while (text.starts_with(':')) {
    text.remove_prefix(1);
    const size_t digits = CountDigits(text);
    if (digits == 0 || digits > 2 || (digits == 2 && text[0] > '5')) return false;
    text.remove_prefix(digits);
  }
  if (text.starts_with('.')) text.remove_prefix(1);
  return std::ranges::all_of(text, digit_or_underscore);
}

// YYYY-M-D, alone or followed by a time.
bool LooksLikeTimestamp(std::string_view text) {
  if (CountDigits(text) != 4 || text.substr(4, 1) != "-") return false;
  text.remove_prefix(5);
  const size_t month = CountDigits(text);
  if (month < 1 || month > 2 || text.substr(month, 1) != "-") return false;
  text.remove_prefix(month + 1);
  const size_t day = CountDigits(text);
  if (day < 1 || day > 2) return false;
  text.remove_prefix(day);
  if (text.empty()) return true;
  if (text[0] != 'T' && text[0] != 't' && text[0] != ' ') return false;
  return std::ranges::all_of(text.substr(1), [](char c) {
    return IsDigit(c) || std::string_view(":.+-Zz ").find(c) != std::string_view::npos;
  });
}

}  // namespace

Value ResolvePlainScalar(std::string_view text) {
  if (const auto named = NamedScalar(text)) return *named;
  if (const auto number = NumberScalar(text)) return *number;
  return Value(text);
}

bool NeedsQuotes(std::string_view text) {
  return NamedScalar(text) || IsNotANumber(text) || NumberScalar(text) || IsSexagesimal(text) ||
         LooksLikeTimestamp(text);
}

}  // namespace coppice::json
