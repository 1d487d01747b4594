#include "cel/values/function.h"

namespace coppice::cel {
namespace {

const base::Quantity* QuantityOf(const Value& value) {
  const auto* held = value.As<Value::QuantityPtr>();
  return held == nullptr ? nullptr : held->get();
}

const Semver* VersionOf(const Value& value) {
  const auto* held = value.As<Value::SemverPtr>();
  return held == nullptr ? nullptr : held->get();
}

Value MakeQuantity(Arguments args, Budget& budget) {
  const auto* text = args[0].As<std::string>();
  if (text == nullptr) return Value::NoOverload();
  if (!budget.Spend(TraversalCost(text->size()))) return CostLimit();
  const auto quantity = base::Quantity::Parse(*text);
  if (quantity) return *quantity;
  return Value::MakeError(
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

Value IsQuantity(Arguments args, Budget& budget) {
  const auto* text = args[0].As<std::string>();
  if (text == nullptr) return Value::NoOverload();
  if (!budget.Spend(TraversalCost(text->size()))) return CostLimit();
  return base::Quantity::Parse(*text).ok();
}

Value MakeSemver(Arguments args, Budget& budget) {
  const auto* text = args[0].As<std::string>();
  if (text == nullptr) return Value::NoOverload();
  if (!budget.Spend(TraversalCost(text->size()))) return CostLimit();
  auto version = Semver::Parse(*text, args.size() == 2 && args[1].IsTrue());
  return version ? Value(*std::move(version)) : Value::MakeError(version.error().message());
}

Value IsSemver(Arguments args, Budget& budget) {
  const auto* text = args[0].As<std::string>();
  if (text == nullptr) return Value::NoOverload();
  if (!budget.Spend(TraversalCost(text->size()))) return CostLimit();
  return Semver::Parse(*text, args.size() == 2 && args[1].IsTrue()).ok();
}

// -1, 0 or 1 for two quantities or two versions.
Value CompareTo(Arguments args, Budget&) {
  const auto sign = [](std::strong_ordering order) {
    return Value(order < 0 ? -1 : order > 0 ? 1 : 0);
  };
  const auto *a = QuantityOf(args[0]), *b = QuantityOf(args[1]);
  if (a != nullptr && b != nullptr) return sign(*a <=> *b);
  const auto *v = VersionOf(args[0]), *w = VersionOf(args[1]);
  if (v != nullptr && w != nullptr) return sign(*v <=> *w);
  return Value::NoOverload();
}

template <int64_t Wanted>
Value Relation(Arguments args, Budget& budget) {
  const Value order = CompareTo(args, budget);
  return order.IsError() ? order : Value(*order.As<int64_t>() == Wanted);
}

template <int64_t Sign>
Value Combine(Arguments args, Budget&) {
  const auto* a = QuantityOf(args[0]);
  if (a == nullptr) return Value::NoOverload();
  base::Quantity b;
  if (const auto* quantity = QuantityOf(args[1])) {
    b = *quantity;
  } else if (const auto* number = args[1].As<int64_t>()) {
    b = base::Quantity::FromUnits(*number);
  } else {
    return Value::NoOverload();
  }
  return Sign > 0 ? *a + b : *a - b;
}

Value SignOf(Arguments args, Budget&) {
  const auto* a = QuantityOf(args[0]);
  return a == nullptr ? Value::NoOverload() : Value(a->Sign());
}

bool IsWhole(const base::Quantity& quantity) {
  return base::Quantity::FromUnits(quantity.Value()) == quantity;
}

Value IsInteger(Arguments args, Budget&) {
  const auto* a = QuantityOf(args[0]);
  return a == nullptr ? Value::NoOverload() : Value(IsWhole(*a));
}

Value AsInteger(Arguments args, Budget&) {
  const auto* a = QuantityOf(args[0]);
  if (a == nullptr) return Value::NoOverload();
  return IsWhole(*a) ? Value(a->Value()) : Value::MakeError("cannot convert value to integer");
}

Value AsApproximateFloat(Arguments args, Budget&) {
  const auto* a = QuantityOf(args[0]);
  return a == nullptr ? Value::NoOverload() : Value(a->ToDouble());
}

template <uint64_t Semver::* Part>
Value VersionPart(Arguments args, Budget&) {
  const auto* version = VersionOf(args[0]);
  return version == nullptr ? Value::NoOverload() : Value(static_cast<int64_t>(version->*Part));
}

constexpr Function kFunctions[] = {
    {"quantity", false, 1, MakeQuantity},
    {"isQuantity", false, 1, IsQuantity},
    {"semver", false, 1, MakeSemver},
    {"semver", false, 2, MakeSemver},
    {"isSemver", false, 1, IsSemver},
    {"isSemver", false, 2, IsSemver},
    {"compareTo", true, 2, CompareTo},
    {"isLessThan", true, 2, Relation<-1>},
    {"isGreaterThan", true, 2, Relation<1>},
    {"add", true, 2, Combine<1>},
    {"sub", true, 2, Combine<-1>},
    {"sign", true, 1, SignOf},
    {"isInteger", true, 1, IsInteger},
    {"asInteger", true, 1, AsInteger},
    {"asApproximateFloat", true, 1, AsApproximateFloat},
    {"major", true, 1, VersionPart<&Semver::major>},
    {"minor", true, 1, VersionPart<&Semver::minor>},
    {"patch", true, 1, VersionPart<&Semver::patch>},
};

}  // namespace

std::span<const Function> QuantityFunctions() { return kFunctions; }

}  // namespace coppice::cel
