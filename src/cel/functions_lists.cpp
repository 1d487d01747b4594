#include <array>

#include "cel/function.h"
#include "cel/text.h"

namespace coppice::cel {
namespace {

Value CostLimit() { return Value::MakeError("cost limit exceeded"); }

Value Size(Arguments args, Budget&) {
  if (const auto* text = args[0].As<std::string>()) {
    return static_cast<int64_t>(CountCodePoints(*text));
  }
  if (const auto* bytes = args[0].As<Value::Bytes>()) {
    return static_cast<int64_t>(bytes->data.size());
  }
  if (const List* list = args[0].AsList()) return static_cast<int64_t>(list->size());
  if (const Map* map = args[0].AsMap()) return static_cast<int64_t>(map->size());
  return Value::NoOverload();
}

Value IsSorted(Arguments args, Budget& budget) {
  const List* list = args[0].AsList();
  if (list == nullptr) return Value::NoOverload();
  if (!budget.Spend(list->size())) return CostLimit();
  for (size_t i = 1; i < list->size(); ++i) {
    const Order order = Compare(list->At(i - 1), list->At(i));
    if (order == Order::kNoOverload) return Value::NoOverload();
    if (order == Order::kGreater) return false;
  }
  return true;
}

Value Sum(Arguments args, Budget& budget) {
  const List* list = args[0].AsList();
  if (list == nullptr) return Value::NoOverload();
  static const Function* const kAdd = FindFunction("+", false, 2);
  Value total(0);
  for (size_t i = 0; i < list->size(); ++i) {
    if (!budget.Spend(1)) return CostLimit();
    const std::array<Value, 2> pair = {total, list->At(i)};
    total = i == 0 ? pair[1] : kAdd->call(pair, budget);
    if (total.IsError()) return total;
  }
  return total;
}

template <Order Wanted>
Value Extreme(Arguments args, Budget& budget) {
  const List* list = args[0].AsList();
  if (list == nullptr) return Value::NoOverload();
  if (list->size() == 0) return Value::MakeError("min/max called on empty list");
  if (!budget.Spend(list->size())) return CostLimit();
  Value best = list->At(0);
  for (size_t i = 1; i < list->size(); ++i) {
    const Order order = Compare(list->At(i), best);
    if (order == Order::kNoOverload) return Value::NoOverload();
    if (order == Wanted) best = list->At(i);
  }
  return best;
}

bool HasItem(const List& list, const Value& wanted, size_t& steps) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (Equal(list.At(i), wanted, steps)) return true;
  }
  return false;
}

bool HasAll(const List& list, const List& wanted, size_t& steps) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!HasItem(list, wanted.At(i), steps)) return false;
  }
  return true;
}

bool HasAny(const List& list, const List& wanted, size_t& steps) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (HasItem(list, wanted.At(i), steps)) return true;
  }
  return false;
}

bool AreEquivalent(const List& a, const List& b, size_t& steps) {
  return HasAll(a, b, steps) && HasAll(b, a, steps);
}

template <bool (*Relation)(const List&, const List&, size_t&)>
Value SetRelation(Arguments args, Budget& budget) {
  const List* a = args[0].AsList();
  const List* b = args[1].AsList();
  if (a == nullptr || b == nullptr) return Value::NoOverload();
  size_t steps = 0;
  const bool holds = Relation(*a, *b, steps);
  return budget.Spend(steps) ? Value(holds) : CostLimit();
}

constexpr Function kFunctions[] = {
    {"size", false, 1, Size},
    {"size", true, 1, Size},
    {"isSorted", true, 1, IsSorted},
    {"sum", true, 1, Sum},
    {"min", true, 1, Extreme<Order::kLess>},
    {"max", true, 1, Extreme<Order::kGreater>},
    {"sets.contains", false, 2, SetRelation<HasAll>},
    {"sets.intersects", false, 2, SetRelation<HasAny>},
    {"sets.equivalent", false, 2, SetRelation<AreEquivalent>},
};

}  // namespace

std::span<const Function> ListFunctions() { return kFunctions; }

}  // namespace coppice::cel
