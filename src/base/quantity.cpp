#include "base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

namespace coppice::base {
namespace {

constexpr __int128 kNano = 1'000'000'000;
constexpr __int128 kMaxNano = static_cast<__int128>(std::numeric_limits<int64_t>::max()) * kNano;

struct Suffix {
  std::string_view text;
  int exponent;  // Of 10, or of 2 for binary suffixes.
  Quantity::Format format;
};

constexpr std::array<Suffix, 16> kSuffixes = {{
    {"n", -9, Quantity::Format::kDecimalSI},
    {"u", -6, Quantity::Format::kDecimalSI},
    {"m", -3, Quantity::Format::kDecimalSI},
    {"", 0, Quantity::Format::kDecimalSI},
    {"k", 3, Quantity::Format::kDecimalSI},
    {"M", 6, Quantity::Format::kDecimalSI},
    {"G", 9, Quantity::Format::kDecimalSI},
    {"T", 12, Quantity::Format::kDecimalSI},
    {"P", 15, Quantity::Format::kDecimalSI},
    {"E", 18, Quantity::Format::kDecimalSI},
    {"Ki", 10, Quantity::Format::kBinarySI},
    {"Mi", 20, Quantity::Format::kBinarySI},
    {"Gi", 30, Quantity::Format::kBinarySI},
    {"Ti", 40, Quantity::Format::kBinarySI},
    {"Pi", 50, Quantity::Format::kBinarySI},
    {"Ei", 60, Quantity::Format::kBinarySI},
}};

std::optional<Suffix> ParseSuffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) return suffix;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text[0] == '+') text.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Suffix{"e", exponent, Quantity::Format::kDecimalExponent};
}

// value * 10^exponent, capped at kMaxNano and rounded up when digits are lost.
__int128 ScaleDecimal(__int128 value, int exponent) {
  for (; exponent > 0 && value != 0; --exponent) {
    if (value > kMaxNano / 10) return kMaxNano;
    value *= 10;
  }
  bool lost = false;
  for (; exponent < 0 && value != 0; ++exponent) {
    lost = lost || value % 10 != 0;
    value /= 10;
  }
  return value + (lost ? 1 : 0);
}

int64_t RoundUp(__int128 nano, __int128 unit) {
  __int128 value = nano / unit;
  if (nano > 0 && nano % unit != 0) ++value;
  constexpr __int128 kMax = std::numeric_limits<int64_t>::max();
  if (value > kMax) return std::numeric_limits<int64_t>::max();
  if (value < -kMax) return -std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value);
}

std::string ToDecimal(__int128 value) {
  if (value < 0) return "-" + ToDecimal(-value);
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return out;
}

}  // namespace

Result<Quantity> Quantity::Parse(std::string_view text) {
  const auto bad = [&] {
    return InvalidArgument(fmt::format("\"{}\" is not a quantity such as 500m, 2 or 1.5Gi", text));
  };
  std::string_view in = text;
  bool negative = false;
  if (!in.empty() && (in[0] == '+' || in[0] == '-')) {
    negative = in[0] == '-';
    in.remove_prefix(1);
  }
  __int128 digits = 0;
  int exponent = 0;
  size_t used = 0;
  size_t count = 0;
  bool point = false;
  bool lost = false;
  for (; used < in.size(); ++used) {
    if (in[used] == '.' && !point) {
      point = true;
      continue;
    }
    if (!std::isdigit(static_cast<unsigned char>(in[used]))) break;
    ++count;
    if (digits > kMaxNano) {  // More digits than can matter: keep the magnitude only.
      lost = lost || in[used] != '0';
      exponent += point ? 0 : 1;
      continue;
    }
    digits = digits * 10 + (in[used] - '0');
    exponent -= point ? 1 : 0;
  }
  const std::optional<Suffix> suffix = ParseSuffix(in.substr(used));
  if (count == 0 || !suffix) return bad();
  if (lost) ++digits;
  __int128 nano = 0;
  if (suffix->format == Format::kBinarySI) {
    nano = ScaleDecimal(digits, exponent + 9);
    for (int i = 0; i < suffix->exponent; ++i) {
      if (nano > kMaxNano / 2) {
        nano = kMaxNano;
        break;
      }
      nano *= 2;
    }
  } else {
    const int64_t total = static_cast<int64_t>(exponent) + suffix->exponent + 9;
    nano = ScaleDecimal(digits, static_cast<int>(std::clamp<int64_t>(total, -200, 200)));
  }
  if (nano > kMaxNano) nano = kMaxNano;
  return Quantity(negative ? -nano : nano, suffix->format);
}

int64_t Quantity::Value() const { return RoundUp(nano_, kNano); }

int64_t Quantity::MilliValue() const { return RoundUp(nano_, kNano / 1000); }

std::string Quantity::ToString() const {
  if (nano_ == 0) return "0";
  if (format_ == Format::kBinarySI && nano_ % kNano == 0 &&
      (nano_ >= 1024 * kNano || nano_ <= -1024 * kNano)) {
    __int128 value = nano_ / kNano;
    int power = 0;
    while (power < 6 && value % 1024 == 0) {
      value /= 1024;
      ++power;
    }
    static constexpr std::array<std::string_view, 7> kBinary = {"",   "Ki", "Mi", "Gi",
                                                                "Ti", "Pi", "Ei"};
    return ToDecimal(value).append(kBinary[static_cast<size_t>(power)]);
  }
  __int128 value = nano_;
  int power = -9;
  while (power < 18 && value % 1000 == 0) {
    value /= 1000;
    power += 3;
  }
  if (format_ == Format::kDecimalExponent) {
    return power == 0 ? ToDecimal(value) : ToDecimal(value) + fmt::format("e{}", power);
  }
  static constexpr std::array<std::string_view, 10> kDecimal = {"n", "u", "m", "",  "k",
                                                                "M", "G", "T", "P", "E"};
  return ToDecimal(value).append(kDecimal[static_cast<size_t>((power + 9) / 3)]);
}

}  // namespace coppice::base
