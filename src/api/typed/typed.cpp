#include "api/typed/typed.h"

#include <fmt/format.h>

#include <limits>

#include "json/write.h"

namespace coppice::api::typed {

bool ReadInto(const json::Value& value, bool& out, ReadContext& context) {
  if (!value.IsBool()) return context.WrongType(value, "boolean");
  out = value.AsBool();
  return true;
}

bool ReadInto(const json::Value& value, int64_t& out, ReadContext& context) {
  if (!value.IsNumber()) return context.WrongType(value, "integer");
  // Two fallbacks that differ tell a number without integer form from any that has one.
  out = value.AsInt(0);
  if (out == 0 && value.AsInt(1) == 1) {
    return context.Fail(fmt::format("must be an integer, not {}", json::Write(value)));
  }
  return true;
}

bool ReadInto(const json::Value& value, int32_t& out, ReadContext& context) {
  int64_t wide = 0;
  if (!ReadInto(value, wide, context)) return false;
  if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
    return context.Fail(fmt::format("{} does not fit into 32 bits", wide));
  }
  out = static_cast<int32_t>(wide);
  return true;
}

bool ReadInto(const json::Value& value, double& out, ReadContext& context) {
  if (!value.IsNumber()) return context.WrongType(value, "number");
  out = value.AsDouble();
  return true;
}

bool ReadInto(const json::Value& value, std::string& out, ReadContext& context) {
  if (!value.IsString()) return context.WrongType(value, "string");
  out = value.ToString();
  return true;
}

bool ReadInto(const json::Value& value, base::Quantity& out, ReadContext& context) {
  if (!value.IsString() && !value.IsNumber()) return context.WrongType(value, "quantity");
  auto parsed = base::Quantity::Parse(value.IsString() ? value.ToString() : json::Write(value));
  if (!parsed) return context.Fail(parsed.error().message());
  out = *parsed;
  return true;
}

bool ReadInto(const json::Value& value, json::Value& out, ReadContext&) {
  out = value;
  return true;
}

}  // namespace coppice::api::typed
