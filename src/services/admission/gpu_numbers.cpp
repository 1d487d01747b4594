#include "services/admission/gpu_numbers.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "base/quantity.h"

namespace coppice::services::admission {
namespace {

// Without a sign.
std::optional<double> ReadFloat(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  // A hexadecimal one needs its exponent.
  if (hexadecimal && text.find_first_of("pP") == text.npos) return std::nullopt;
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool IsPositiveInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0;
}

Fraction ReadFraction(std::string_view text) {
  const std::optional<double> value = ReadFloat(text.starts_with('+') ? text.substr(1) : text);
  if (!value || *value <= 0 || *value >= 1) return Fraction::kOutOfRange;
  return base::Quantity::Parse(text).ok() ? Fraction::kGood : Fraction::kNoQuantity;
}

}  // namespace coppice::services::admission
