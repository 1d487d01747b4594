#include "server/base64.h"

#include <array>
#include <cstdint>

namespace coppice::server {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string EncodeWith(std::string_view bytes, std::string_view alphabet, bool pad) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  uint32_t buffer = 0;
  int bits = 0;
  for (const unsigned char byte : bytes) {
    buffer = buffer << 8 | byte;
    for (bits += 8; bits >= 6; bits -= 6) out.push_back(alphabet[buffer >> (bits - 6) & 63]);
  }
  if (bits > 0) out.push_back(alphabet[buffer << (6 - bits) & 63]);
  while (pad && out.size() % 4 != 0) out.push_back('=');
  return out;
}

std::optional<std::string> Decode(std::string_view text, std::string_view alphabet) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string out;
  uint32_t buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    buffer = buffer << 6 | static_cast<uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<char>(buffer >> bits & 0xff));
  }
  if (text.size() % 4 == 1) return std::nullopt;
  return out;
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) { return EncodeWith(bytes, kStandard, true); }
std::string EncodeBase64Url(std::string_view bytes) { return EncodeWith(bytes, kUrl, false); }
std::optional<std::string> DecodeBase64(std::string_view text) { return Decode(text, kStandard); }
std::optional<std::string> DecodeBase64Url(std::string_view text) { return Decode(text, kUrl); }

}  // namespace coppice::server
