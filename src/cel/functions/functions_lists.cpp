#include <algorithm>
#include <array>

#include "cel/values/function.h"
#include "cel/values/text.h"

namespace coppice::cel {
namespace {

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

// Walking once over a list costs a step per item, or what its text costs.
bool SpendOnItem(const Value& item, Budget& budget) {
  return budget.Spend(std::max<size_t>(1, TraversalCost(item.TextSize())));
}

Value IsSorted(Arguments args, Budget& budget) {
  const List* list = args[0].AsList();
  if (list == nullptr) return Value::NoOverload();
  Value before;
  for (size_t i = 0; i < list->size(); ++i) {
    Value item = list->At(i);
    if (!SpendOnItem(item, budget)) return CostLimit();
    const Order order = i == 0 ? Order::kEqual : Compare(before, item);
    if (order == Order::kNoOverload) return Value::NoOverload();
    if (order == Order::kGreater) return false;
    before = std::move(item);
  }
  return true;
}

Value Sum(Arguments args, Budget& budget) {
  const List* list = args[0].AsList();
  if (list == nullptr) return Value::NoOverload();
  static const Function* const kAdd = FindFunction("+", false, 2);
  Value total(0);
  for (size_t i = 0; i < list->size(); ++i) {
    const std::array<Value, 2> pair = {total, list->At(i)};
    if (!SpendOnItem(pair[1], budget)) return CostLimit();
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
  Value best = list->At(0);
  for (size_t i = 0; i < list->size(); ++i) {
    Value item = list->At(i);
    if (!SpendOnItem(item, budget)) return CostLimit();
    const Order order = i == 0 ? Order::kEqual : Compare(item, best);
    if (order == Order::kNoOverload) return Value::NoOverload();
    if (order == Wanted) best = std::move(item);
  }
  return best;
}

bool HasItem(const List& list, const Value& wanted, Budget& budget) {
  for (size_t i = 0; i < list.size() && !budget.exhausted(); ++i) {
    if (Equal(list.At(i), wanted, budget)) return true;
  }
  return false;
}

bool HasAll(const List& list, const List& wanted, Budget& budget) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!HasItem(list, wanted.At(i), budget)) return false;
  }
  return true;
}

bool HasAny(const List& list, const List& wanted, Budget& budget) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (HasItem(list, wanted.At(i), budget)) return true;
  }
  return false;
}

bool AreEquivalent(const List& a, const List& b, Budget& budget) {
  return HasAll(a, b, budget) && HasAll(b, a, budget);
}

// Charges for every pair, `Passes` times.
template <bool (*Relation)(const List&, const List&, Budget&), size_t Passes>
Value SetRelation(Arguments args, Budget& budget) {
  const List* a = args[0].AsList();
  const List* b = args[1].AsList();
  if (a == nullptr || b == nullptr) return Value::NoOverload();
  if (!budget.Spend(Passes * a->size() * b->size())) return CostLimit();
  const bool holds = Relation(*a, *b, budget);
  return budget.exhausted() ? CostLimit() : Value(holds);
}

constexpr Function kFunctions[] = {
    {"size", false, 1, Size},
    {"size", true, 1, Size},
    {"isSorted", true, 1, IsSorted},
    {"sum", true, 1, Sum},
    {"min", true, 1, Extreme<Order::kLess>},
    {"max", true, 1, Extreme<Order::kGreater>},
    {"sets.contains", false, 2, SetRelation<HasAll, 1>},
    {"sets.intersects", false, 2, SetRelation<HasAny, 1>},
    {"sets.equivalent", false, 2, SetRelation<AreEquivalent, 2>},
};

}  // namespace

std::span<const Function> ListFunctions() { return kFunctions; }

}  // namespace coppice::cel
