#pragma once

#include <string>
#include <string_view>

namespace coppice::backends {

inline constexpr size_t kLabelValueLimit = 63;
inline constexpr size_t kObjectNameLimit = 253;

// The first `digits` hexadecimal digits of the SHA-256 of `text`.
std::string HashHex(std::string_view text, size_t digits = 64);

// `name` if it has at most `limit` characters. Otherwise its prefix, a dash and ten digits of its
// hash: stable and unique.
std::string Short(std::string_view name, size_t limit);

// Short, with dots replaced so that the result is a DNS label. Names that contain dots get a hash,
// so that "a.b" and "a-b" stay different.
std::string ShortLabel(std::string_view name, size_t limit = kLabelValueLimit);

}  // namespace coppice::backends
