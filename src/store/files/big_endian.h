#pragma once

#include <cstdint>

namespace coppice::store {

// SQLite stores numbers in this byte order on every machine.
inline uint32_t BigEndian32(const char* at) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(at);
  return static_cast<uint32_t>(bytes[0]) << 24 | static_cast<uint32_t>(bytes[1]) << 16 |
         static_cast<uint32_t>(bytes[2]) << 8 | static_cast<uint32_t>(bytes[3]);
}

}  // namespace coppice::store
