#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cel/values/function.h"
#include "cel/values/text.h"

namespace coppice::cel {
namespace {

Value Overflow() { return Value::MakeError("integer overflow"); }
Value UnsignedOverflow() { return Value::MakeError("unsigned integer overflow"); }
Value NotConvertible(std::string_view type) {
  return Value::MakeError(fmt::format("type conversion error from 'string' to '{}'", type));
}

// The whole text as a number.
template <typename T>
Value ParseNumber(const std::string& text, std::string_view type) {
  T out{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, out);
  if (result.ec == std::errc() && result.ptr == end && !text.empty()) return out;
  return NotConvertible(type);
}

Value ToInt(Arguments args, Budget&) {
  const Value& v = args[0];
  if (v.As<int64_t>() != nullptr) return v;
  if (const auto* u = v.As<uint64_t>()) {
    return *u >> 63 != 0 ? Overflow() : Value(static_cast<int64_t>(*u));
  }
  if (const auto* d = v.As<double>()) {
    if (!(std::abs(*d) < 9223372036854775808.0)) return Overflow();
    return static_cast<int64_t>(*d);
  }
  if (const auto* text = v.As<std::string>()) return ParseNumber<int64_t>(*text, "int");
  if (const auto* time = v.As<base::Time>()) {
    return std::chrono::floor<std::chrono::seconds>(*time).time_since_epoch().count();
  }
  return Value::NoOverload();
}

Value ToUint(Arguments args, Budget&) {
  const Value& v = args[0];
  if (v.As<uint64_t>() != nullptr) return v;
  if (const auto* i = v.As<int64_t>()) {
    return *i < 0 ? UnsignedOverflow() : Value(static_cast<uint64_t>(*i));
  }
  if (const auto* d = v.As<double>()) {
    if (!(*d > -1.0 && *d < 18446744073709551616.0)) return UnsignedOverflow();
    return static_cast<uint64_t>(*d);
  }
  if (const auto* text = v.As<std::string>()) return ParseNumber<uint64_t>(*text, "uint");
  return Value::NoOverload();
}

Value ToDouble(Arguments args, Budget&) {
  const Value& v = args[0];
  if (v.As<double>() != nullptr) return v;
  if (const auto* i = v.As<int64_t>()) return static_cast<double>(*i);
  if (const auto* u = v.As<uint64_t>()) return static_cast<double>(*u);
  if (const auto* text = v.As<std::string>()) return ParseNumber<double>(*text, "double");
  return Value::NoOverload();
}

Value ToBool(Arguments args, Budget&) {
  if (args[0].As<bool>() != nullptr) return args[0];
  const auto* text = args[0].As<std::string>();
  if (text == nullptr) return Value::NoOverload();
  for (const std::string_view yes : {"true", "True", "TRUE", "t", "1"}) {
    if (*text == yes) return true;
  }
  for (const std::string_view no : {"false", "False", "FALSE", "f", "0"}) {
    if (*text == no) return false;
  }
  return NotConvertible("bool");
}

std::string DoubleText(double d) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, d).ptr};
}

// Seconds with as many decimals as needed: "90s", "0.5s".
std::string DurationText(base::Duration span) {
  const int64_t nanos = span.count();
  std::string out = fmt::format("{}{}", nanos < 0 ? "-" : "", std::abs(nanos / 1'000'000'000));
  if (const int64_t rest = std::abs(nanos % 1'000'000'000); rest != 0) {
    out += fmt::format(".{:09}", rest);
    out.erase(out.find_last_not_of('0') + 1);
  }
  return out + "s";
}

// RFC 3339 with as many decimals as needed.
std::string TimeText(base::Time time) {
  std::string out = base::FormatRfc3339(time);
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const int64_t nanos = std::chrono::duration_cast<base::Duration>(time - second).count();
  if (nanos == 0) return out;
  std::string fraction = fmt::format(".{:09}", nanos);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return out.insert(out.size() - 1, fraction);
}

Value ToText(Arguments args, Budget& budget) {
  const Value& v = args[0];
  if (const auto* text = v.As<std::string>()) {
    return budget.Spend(TraversalCost(text->size())) ? v : CostLimit();
  }
  if (const auto* b = v.As<bool>()) return *b ? "true" : "false";
  if (const auto* i = v.As<int64_t>()) return std::to_string(*i);
  if (const auto* u = v.As<uint64_t>()) return std::to_string(*u);
  if (const auto* d = v.As<double>()) return DoubleText(*d);
  if (const auto* time = v.As<base::Time>()) return TimeText(*time);
  if (const auto* span = v.As<base::Duration>()) return DurationText(*span);
  if (const auto* quantity = v.As<Value::QuantityPtr>()) return (*quantity)->ToString();
  if (const auto* bytes = v.As<Value::Bytes>()) {
    if (!budget.Spend(TraversalCost(bytes->data.size()))) return CostLimit();
    return IsUtf8(bytes->data)
               ? Value(bytes->data)
               : Value::MakeError("invalid UTF-8 in bytes, cannot convert to string");
  }
  return Value::NoOverload();
}

Value ToBytes(Arguments args, Budget& budget) {
  if (args[0].As<Value::Bytes>() != nullptr) return args[0];
  const auto* text = args[0].As<std::string>();
  if (text == nullptr) return Value::NoOverload();
  return budget.Spend(TraversalCost(text->size())) ? Value(Value::Bytes{*text}) : CostLimit();
}

Value Identity(Arguments args, Budget&) { return args[0]; }

Value TypeOf(Arguments args, Budget&) { return Value::Type{std::string(args[0].TypeName())}; }

constexpr Function kFunctions[] = {
    {"int", false, 1, ToInt},    {"uint", false, 1, ToUint},   {"double", false, 1, ToDouble},
    {"bool", false, 1, ToBool},  {"string", false, 1, ToText}, {"bytes", false, 1, ToBytes},
    {"dyn", false, 1, Identity}, {"type", false, 1, TypeOf},
};

}  // namespace

std::span<const Function> ConversionFunctions() { return kFunctions; }

}  // namespace coppice::cel
