#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coppice::server {

std::string EncodeBase64(std::string_view bytes);
// With - and _, without padding.
std::string EncodeBase64Url(std::string_view bytes);
// Accept input with or without padding; nothing when a character does not belong.
std::optional<std::string> DecodeBase64(std::string_view text);
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace coppice::server
