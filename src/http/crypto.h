#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

// Small pieces of cryptography and the encodings around it.
namespace coppice::http {

// 32 raw bytes.
std::string Sha256(std::string_view bytes);
// 64 hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

std::string Base64Encode(std::string_view bytes);
// Padding required, no line breaks but at the end.
base::Result<std::string> Base64Decode(std::string_view text);
// The URL-safe alphabet without padding, as tokens use it.
std::string Base64UrlEncode(std::string_view bytes);
base::Result<std::string> Base64UrlDecode(std::string_view text);

// From the system's generator.
std::string RandomBytes(size_t count);
// "3b241101-e2bb-4255-8caf-4136c566a962", version 4.
std::string NewUuid();

// Takes the same time wherever the two differ, for secrets.
bool ConstantTimeEqual(std::string_view a, std::string_view b);

std::string Gzip(std::string_view bytes, int level = 1);
// Fails on damaged input and when the result would exceed `limit`.
base::Result<std::string> Gunzip(std::string_view bytes, size_t limit);

}  // namespace coppice::http
