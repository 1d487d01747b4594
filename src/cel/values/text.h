#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Strings by code points, as the expression language counts them.
namespace coppice::cel {

size_t CountCodePoints(std::string_view text);
// The byte at which the code point with this index starts; text.size() for the one past the end,
// npos beyond that.
size_t ByteOfCodePoint(std::string_view text, size_t index);
// One string per code point.
std::vector<std::string> CodePoints(std::string_view text);
bool IsUtf8(std::string_view text);

}  // namespace coppice::cel
