#include "cel/values/function.h"

namespace coppice::cel {
namespace {

Value Of(Arguments args, Budget&) { return Value::SomeOptional(args[0]); }

Value None(Arguments, Budget&) { return Value::NoneOptional(); }

bool IsZero(const Value& value) {
  if (value.IsNull() || value.IsFalse()) return true;
  if (const auto* text = value.As<std::string>()) return text->empty();
  if (const List* list = value.AsList()) return list->size() == 0;
  if (const Map* map = value.AsMap()) return map->size() == 0;
  if (!value.IsNumber()) return false;
  return Compare(value, Value(0)) == Order::kEqual;
}

Value OfNonZero(Arguments args, Budget&) {
  return IsZero(args[0]) ? Value::NoneOptional() : Value::SomeOptional(args[0]);
}

Value HasValue(Arguments args, Budget&) {
  const auto* optional = args[0].As<Value::Optional>();
  return optional == nullptr ? Value::NoOverload() : Value(optional->held != nullptr);
}

Value ValueOf(Arguments args, Budget&) {
  const auto* optional = args[0].As<Value::Optional>();
  if (optional == nullptr) return Value::NoOverload();
  return optional->held == nullptr ? Value::MakeError("optional.none() dereference")
                                   : Value(*optional->held);
}

Value OrValue(Arguments args, Budget&) {
  const auto* optional = args[0].As<Value::Optional>();
  if (optional == nullptr) return Value::NoOverload();
  return optional->held == nullptr ? args[1] : Value(*optional->held);
}

Value Or(Arguments args, Budget&) {
  const auto* optional = args[0].As<Value::Optional>();
  if (optional == nullptr || args[1].As<Value::Optional>() == nullptr) return Value::NoOverload();
  return optional->held == nullptr ? args[1] : args[0];
}

constexpr Function kFunctions[] = {
    {"optional.of", false, 1, Of},
    {"optional.none", false, 0, None},
    {"optional.ofNonZeroValue", false, 1, OfNonZero},
    {"hasValue", true, 1, HasValue},
    {"value", true, 1, ValueOf},
    {"orValue", true, 2, OrValue},
    {"or", true, 2, Or},
};

}  // namespace

std::span<const Function> OptionalFunctions() { return kFunctions; }

}  // namespace coppice::cel
