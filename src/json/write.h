#pragma once

#include <string>

#include "json/value.h"

namespace coppice::json {

// Compact JSON, members sorted by key: equal documents give equal bytes.
std::string Write(const Value& value);
void WriteTo(const Value& value, std::string& out);
// Two spaces per level, for people.
std::string WritePretty(const Value& value);
// Appends `text` quoted and escaped.
void WriteString(std::string_view text, std::string& out);

}  // namespace coppice::json
