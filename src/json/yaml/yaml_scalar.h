#pragma once

#include <string_view>

#include "json/value.h"

// The value of a plain YAML scalar.
namespace coppice::json {

// By YAML 1.1 as Kubernetes reads it: null, booleans (also yes/no, on/off, y/n), integers (decimal,
// 0x, 0o, 0b, leading 0 for octal, with underscores), floats; anything else is the text itself.
// Numbers without fraction are integers.
Value ResolvePlainScalar(std::string_view text);

// Whether the text, written plain, would read back as something other than a string, here or in
// older parsers (times, sexagesimal numbers).
bool NeedsQuotes(std::string_view text);

}  // namespace coppice::json
