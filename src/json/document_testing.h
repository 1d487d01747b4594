#pragma once

#include <string_view>

#include "json/parse.h"

namespace coppice::json {

// A document that a test writes down; ends the test program when it is none.
inline Value Doc(std::string_view text) { return *Parse(text); }

}  // namespace coppice::json
