#include "cel/values/text.h"

#include <algorithm>

namespace coppice::cel {
namespace {

bool StartsCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

}  // namespace

size_t CountCodePoints(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, StartsCodePoint));
}

size_t ByteOfCodePoint(std::string_view text, size_t index) {
  size_t seen = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!StartsCodePoint(text[i])) continue;
    if (seen++ == index) return i;
  }
  return seen == index ? text.size() : std::string_view::npos;
}

std::vector<std::string> CodePoints(std::string_view text) {
  std::vector<std::string> out;
  for (const char c : text) {
    if (StartsCodePoint(c) || out.empty()) out.emplace_back();
    out.back() += c;
  }
  return out;
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = SequenceLength(lead);
    if (length == 0 || i + length > text.size()) return false;
    for (size_t j = 1; j < length; ++j) {
      if (StartsCodePoint(text[i + j])) return false;
    }
    const auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90)) {
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace coppice::cel
