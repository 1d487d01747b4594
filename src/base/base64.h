#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

// Base64 as Go's encoding/base64 reads and writes it: line breaks in the input are ignored,
// everything else that does not belong there is InvalidArgument. Thread-safe.
namespace coppice::base {

// The standard alphabet, with padding, which decoding requires.
std::string Base64Encode(std::string_view bytes);
Result<std::string> Base64Decode(std::string_view text);

// The URL-safe alphabet without padding, which decoding rejects.
std::string Base64UrlEncode(std::string_view bytes);
Result<std::string> Base64UrlDecode(std::string_view text);

}  // namespace coppice::base
