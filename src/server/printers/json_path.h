#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace coppice::server {

// The value at a simple JSONPath, as printer columns use them: `.a.b`, `.a[0]`, `.a['b.c']`,
// `.a[*].b`, `.a[?(@.type=="Ready")].status`. Null if there is none; the first of several.
json::Value EvaluateJsonPath(const json::Value& object, std::string_view path);

// A value as text in a cell.
std::string JsonPathText(const json::Value& value);

}  // namespace coppice::server
