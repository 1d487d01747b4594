#include "json/text_size.h"

#include <algorithm>

namespace coppice::json {

TextSize SizeAsText(const Value& value, size_t max_bytes) {
  TextSize size{value.IsString() ? value.AsString().size() + 2 : 4, 1};
  const auto add = [&](const Value& below) {
    const TextSize more = SizeAsText(below, max_bytes - size.bytes);
    size.bytes += more.bytes;
    size.depth = std::max(size.depth, more.depth + 1);
  };
  for (const Value& item : value.Items()) {
    if (size.bytes > max_bytes) break;
    add(item);
  }
  for (const Member& member : value.Members()) {
    size.bytes += member.name().size() + 4;
    if (size.bytes > max_bytes) break;
    add(member.value);
  }
  return size;
}

}  // namespace coppice::json
