#pragma once

#include <cstddef>

#include "json/value.h"

namespace coppice::json {

// About how large a value is as text, without writing it.
struct TextSize {
  size_t bytes = 0;
  size_t depth = 0;  // 1 for what has nothing below it.
};

// Stops beyond `max_bytes`.
TextSize SizeAsText(const Value& value, size_t max_bytes);
// The same for a value made from `before`, which has about `before_bytes`. Looks only at what the
// two do not share; the depth is that of what differs.
TextSize SizeAsText(const Value& value, const Value& before, size_t before_bytes, size_t max_bytes);

}  // namespace coppice::json
