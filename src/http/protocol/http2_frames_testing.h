#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// HTTP/2 byte by byte, for tests that say what no library would say.
namespace coppice::http::testing {

inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum FrameType {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kGoAway = 7,
  kWindowUpdate = 8,
  kContinuation = 9
};
enum FrameFlag { kEndStream = 1, kAck = 1, kEndHeaders = 4, kPadded = 8 };

inline std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string Frame(FrameType type, int flags, uint32_t stream,
                         std::string_view payload = "") {
  return BigEndian(static_cast<uint32_t>(payload.size()), 3) + static_cast<char>(type) +
         static_cast<char>(flags) + BigEndian(stream, 4) + std::string(payload);
}

// A field that is not indexed, of fewer than 127 bytes each.
inline std::string Literal(std::string_view name, std::string_view value) {
  return std::string(1, '\0') + static_cast<char>(name.size()) + std::string(name) +
         static_cast<char>(value.size()) + std::string(value);
}

}  // namespace coppice::http::testing
