#pragma once

#include <string>
#include <string_view>

// Hashes, random bytes and gzip. Thread-safe.
namespace coppice::http {

// 32 raw bytes.
std::string Sha256(std::string_view bytes);
// 64 hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

// From the system's generator.
std::string RandomBytes(size_t count);

std::string Gzip(std::string_view bytes, int level = 1);

}  // namespace coppice::http
