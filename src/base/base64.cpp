#include "base/base64.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace coppice::base {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// The value of each character, -1 for those that are not in the alphabet.
using Digits = std::array<int8_t, 256>;

constexpr Digits DigitsOf(std::string_view alphabet) {
  Digits digits{};
  for (int8_t& digit : digits) digit = -1;
  for (size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<int8_t>(i);
  }
  return digits;
}

constexpr Digits kStandardDigits = DigitsOf(kStandard);
constexpr Digits kUrlSafeDigits = DigitsOf(kUrlSafe);

bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

Error Illegal(size_t at) {
  return InvalidArgument(fmt::format("illegal base64 data at input byte {}", at));
}

std::string Encode(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  uint32_t bits = 0;
  int count = 0;
  for (const unsigned char byte : bytes) {
    bits = bits << 8 | byte;
    count += 8;
    for (; count >= 6; count -= 6) text += alphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) text += alphabet[bits << (6 - count) & 63];
  return text;
}

// Decodes up to the first character that is neither a digit nor a line break; `at` is then its
// position. Returns the number of digits.
size_t TakeDigits(std::string_view text, const Digits& digits, size_t& at, std::string& bytes) {
  uint32_t bits = 0;
  size_t count = 0;
  for (; at < text.size(); ++at) {
    if (IsLineBreak(text[at])) continue;
    const int8_t digit = digits[static_cast<unsigned char>(text[at])];
    if (digit < 0) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    const size_t left = 6 - 2 * (count++ % 4);  // Bits that do not fill a byte yet.
    if (left < 6) bytes += static_cast<char>(bits >> left & 0xff);
  }
  return count;
}

Status CheckPadding(std::string_view text, size_t at, size_t missing) {
  for (; at < text.size(); ++at) {
    if (IsLineBreak(text[at])) continue;
    if (text[at] != '=' || missing-- == 0) return Illegal(at);
  }
  if (missing > 0) return Illegal(text.size());
  return {};
}

Result<std::string> Decode(std::string_view text, const Digits& digits, bool padded) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  size_t at = 0;
  const size_t partial = TakeDigits(text, digits, at, bytes) % 4;
  if (partial == 1) return Illegal(at);  // Six bits are not a byte.
  const size_t missing = padded && partial > 0 ? 4 - partial : 0;
  COPPICE_TRY(CheckPadding(text, at, missing));
  return bytes;
}

}  // namespace

std::string Base64Encode(std::string_view bytes) {
  std::string text = Encode(bytes, kStandard);
  while (text.size() % 4 != 0) text += '=';
  return text;
}

Result<std::string> Base64Decode(std::string_view text) {
  return Decode(text, kStandardDigits, true);
}

std::string Base64UrlEncode(std::string_view bytes) { return Encode(bytes, kUrlSafe); }

Result<std::string> Base64UrlDecode(std::string_view text) {
  return Decode(text, kUrlSafeDigits, false);
}

}  // namespace coppice::base
