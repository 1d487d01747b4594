#include "operator/webhooks/go_duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace coppice::operators::webhooks {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kNumberStart = "0123456789.";
constexpr uint64_t kMostNanos = uint64_t{1} << 63;

// Go quotes non-printable and non-ASCII characters byte by byte.
std::string GoQuoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x80) {
      out += fmt::format("\\x{:02x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::optional<uint64_t> NanosOf(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "µs" || unit == "μs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  if (unit == "h") return 3'600'000'000'000;
  return std::nullopt;
}

// Removes and returns the first `end` characters of `rest`.
std::string_view TakeUntil(std::string_view& rest, size_t end) {
  end = std::min(end, rest.size());
  const std::string_view front = rest.substr(0, end);
  rest.remove_prefix(end);
  return front;
}

// The whole number times the unit; nullopt if it is too large for Go.
std::optional<uint64_t> Scaled(std::string_view digits, uint64_t unit) {
  uint64_t number = 0;
  for (const char c : digits) {
    if (number > kMostNanos / 10) return std::nullopt;
    number = number * 10 + static_cast<uint64_t>(c - '0');
    if (number > kMostNanos) return std::nullopt;
  }
  if (number > kMostNanos / unit) return std::nullopt;
  return number * unit;
}

uint64_t Fraction(std::string_view digits, uint64_t unit) {
  double part = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    part = (part + (*digit - '0')) / 10;
  }
  return static_cast<uint64_t>(part * static_cast<double>(unit));
}

// Removes one number with its unit from `rest`; returns nanoseconds.
base::Result<uint64_t> TakePart(std::string_view text, std::string_view& rest) {
  const auto invalid = [&] {
    return base::InvalidArgument(fmt::format("time: invalid duration {}", GoQuoted(text)));
  };
  const std::string_view whole = TakeUntil(rest, rest.find_first_not_of(kDigits));
  std::string_view decimals;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    decimals = TakeUntil(rest, rest.find_first_not_of(kDigits));
  }
  if ((whole.empty() && decimals.empty()) || !Scaled(whole, 1)) return invalid();
  const std::string_view unit = TakeUntil(rest, rest.find_first_of(kNumberStart));
  if (unit.empty()) {
    return base::InvalidArgument(fmt::format("time: missing unit in duration {}", GoQuoted(text)));
  }
  const auto nanos = NanosOf(unit);
  if (!nanos) {
    return base::InvalidArgument(
        fmt::format("time: unknown unit {} in duration {}", GoQuoted(unit), GoQuoted(text)));
  }
  const auto scaled = Scaled(whole, *nanos);
  if (!scaled || *scaled + Fraction(decimals, *nanos) > kMostNanos) return invalid();
  return *scaled + Fraction(decimals, *nanos);
}

}  // namespace

base::Status CheckGoDuration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return {};
  uint64_t total = 0;
  bool bad = rest.empty();
  while (!rest.empty() && !bad) {
    COPPICE_ASSIGN(const uint64_t part, TakePart(text, rest));
    bad = part > kMostNanos - total;
    total += part;
  }
  if (!bad && (negative || total < kMostNanos)) return {};
  return base::InvalidArgument(fmt::format("time: invalid duration {}", GoQuoted(text)));
}

}  // namespace coppice::operators::webhooks
