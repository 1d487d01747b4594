#include "cel/values/value.h"

#include <algorithm>
#include <cmath>

#include "cel/values/budget.h"

namespace coppice::cel {
namespace {

template <typename A, typename B>
Order OrderOf(const A& a, const B& b) {
  if (a < b) return Order::kLess;
  if (b < a) return Order::kGreater;
  return a == b ? Order::kEqual : Order::kUnordered;
}

Order CompareWithDouble(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Order::kUnordered;
  return OrderOf(a, b);
}

Order CompareNumbers(const Value& a, const Value& b) {
  const auto as_double = [](const Value& v) {
    if (const auto* i = v.As<int64_t>()) return static_cast<double>(*i);
    if (const auto* u = v.As<uint64_t>()) return static_cast<double>(*u);
    return *v.As<double>();
  };
  if (a.As<double>() != nullptr || b.As<double>() != nullptr) {
    return CompareWithDouble(as_double(a), as_double(b));
  }
  const auto* ai = a.As<int64_t>();
  const auto* bi = b.As<int64_t>();
  if (ai != nullptr && bi != nullptr) return OrderOf(*ai, *bi);
  if (ai != nullptr && *ai < 0) return Order::kLess;
  if (bi != nullptr && *bi < 0) return Order::kGreater;
  const auto as_unsigned = [](const Value& v) {
    const auto* i = v.As<int64_t>();
    return i != nullptr ? static_cast<uint64_t>(*i) : *v.As<uint64_t>();
  };
  return OrderOf(as_unsigned(a), as_unsigned(b));
}

// Hardly any list is reordered, so that an item is looked for at its own place first.
bool EqualUnordered(const List& a, const List& b, Budget& budget) {
  const size_t size = b.size();
  std::vector<bool> taken(size);
  for (size_t i = 0; i < size; ++i) {
    const Value item = a.At(i);
    bool found = false;
    for (size_t away = 0; away < size && !found && !budget.exhausted(); ++away) {
      const size_t j = (i + away) % size;
      found = !taken[j] && Equal(item, b.At(j), budget);
      taken[j] = taken[j] || found;
    }
    if (!found) return false;
  }
  return true;
}

bool EqualLists(const List& a, const List& b, Budget& budget) {
  if (a.size() != b.size()) return false;
  if (a.IsUnordered() && b.IsUnordered()) return EqualUnordered(a, b, budget);
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Equal(a.At(i), b.At(i), budget)) return false;
  }
  return true;
}

bool EqualMaps(const Map& a, const Map& b, Budget& budget) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Value key = a.KeyAt(i);
    Value left;
    Value right;
    if (!a.Find(key, left) || !b.Find(key, right) || !Equal(left, right, budget)) return false;
  }
  return true;
}

// The cost of comparing an item, in bytes.
constexpr size_t kBytesPerItem = 32;

bool EqualOptionals(const Value::Optional& a, const Value::Optional& b, Budget& budget) {
  if (a.held == nullptr || b.held == nullptr) return a.held == b.held;
  return Equal(*a.held, *b.held, budget);
}

template <typename T>
bool BothAre(const Value& a, const Value& b) {
  return a.As<T>() != nullptr && b.As<T>() != nullptr;
}

template <typename... T>
Order CompareSameType(const Value& a, const Value& b) {
  Order order = Order::kNoOverload;
  ((BothAre<T>(a, b) ? (order = OrderOf(*a.As<T>(), *b.As<T>()), 0) : 0), ...);
  return order;
}

}  // namespace

std::string_view Value::TypeName() const {
  static constexpr std::string_view kNames[] = {"null_type",
                                                "bool",
                                                "int",
                                                "uint",
                                                "double",
                                                "string",
                                                "bytes",
                                                "list",
                                                "map",
                                                "google.protobuf.Timestamp",
                                                "google.protobuf.Duration",
                                                "kubernetes.Quantity",
                                                "kubernetes.Semver",
                                                "object",
                                                "optional_type",
                                                "type",
                                                "error"};
  return AsObject() != nullptr ? AsObject()->TypeName() : kNames[held_.index()];
}

size_t Value::TextSize() const {
  if (const auto* text = As<std::string>()) return text->size();
  return As<Bytes>() == nullptr ? 0 : As<Bytes>()->data.size();
}

Value Object::Field(std::string_view name) const {
  return Value::MakeError("no such key: " + std::string(name));
}

bool Equal(const Value& a, const Value& b, Budget& budget) {
  if (!budget.SpendBytes(kBytesPerItem + a.TextSize() + b.TextSize())) return false;
  if (a.IsNumber() && b.IsNumber()) return CompareNumbers(a, b) == Order::kEqual;
  if (a.IsNull() || b.IsNull()) return a.IsNull() && b.IsNull();
  if (const auto* text = a.As<std::string>()) {
    const auto* other = b.As<std::string>();
    return other != nullptr && *text == *other;
  }
  if (a.AsList() != nullptr && b.AsList() != nullptr) {
    return EqualLists(*a.AsList(), *b.AsList(), budget);
  }
  if (a.AsMap() != nullptr && b.AsMap() != nullptr)
    return EqualMaps(*a.AsMap(), *b.AsMap(), budget);
  if (BothAre<Value::Optional>(a, b)) {
    return EqualOptionals(*a.As<Value::Optional>(), *b.As<Value::Optional>(), budget);
  }
  if (BothAre<Value::QuantityPtr>(a, b)) {
    return **a.As<Value::QuantityPtr>() == **b.As<Value::QuantityPtr>();
  }
  if (BothAre<Value::SemverPtr>(a, b)) {
    return **a.As<Value::SemverPtr>() == **b.As<Value::SemverPtr>();
  }
  if (BothAre<ObjectPtr>(a, b)) return a.AsObject() == b.AsObject();
  if (BothAre<Value::Bytes>(a, b)) return *a.As<Value::Bytes>() == *b.As<Value::Bytes>();
  if (BothAre<Value::Type>(a, b)) return *a.As<Value::Type>() == *b.As<Value::Type>();
  return CompareSameType<bool, base::Time, base::Duration>(a, b) == Order::kEqual;
}

Order Compare(const Value& a, const Value& b) {
  if (a.IsNumber() && b.IsNumber()) return CompareNumbers(a, b);
  if (BothAre<Value::Bytes>(a, b)) {
    return OrderOf(a.As<Value::Bytes>()->data, b.As<Value::Bytes>()->data);
  }
  return CompareSameType<bool, std::string, base::Time, base::Duration>(a, b);
}

}  // namespace coppice::cel
