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

}  // namespace coppice::json
