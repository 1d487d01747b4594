#pragma once

#include <string_view>
#include <utility>

#include "json/value.h"

// Operations of a JSON Patch (patch.h), for patches that are written rather than computed.
namespace coppice::json {

inline Value AddOperation(std::string_view path, Value value) {
  return Value::Object({{"op", "add"}, {"path", path}, {"value", std::move(value)}});
}
// Makes the whole patch fail unless `value` is at `path`.
inline Value TestOperation(std::string_view path, Value value) {
  return Value::Object({{"op", "test"}, {"path", path}, {"value", std::move(value)}});
}

}  // namespace coppice::json
