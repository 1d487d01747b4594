#include <algorithm>
#include <cmath>
#include <limits>

#include "cel/values/function.h"

namespace coppice::cel {
namespace {

Value Overflow() { return Value::MakeError("integer overflow"); }

template <typename T>
Value CheckedAdd(T a, T b) {
  T out;
  return __builtin_add_overflow(a, b, &out) ? Overflow() : Value(out);
}
template <typename T>
Value CheckedSub(T a, T b) {
  T out;
  return __builtin_sub_overflow(a, b, &out) ? Overflow() : Value(out);
}
template <typename T>
Value CheckedMul(T a, T b) {
  T out;
  return __builtin_mul_overflow(a, b, &out) ? Overflow() : Value(out);
}
template <typename T>
Value CheckedDiv(T a, T b) {
  if (b == 0) return Value::MakeError("division by zero");
  if constexpr (std::is_signed_v<T>) {
    if (a == std::numeric_limits<T>::min() && b == -1) return Overflow();
  }
  return a / b;
}
template <typename T>
Value CheckedMod(T a, T b) {
  if (b == 0) return Value::MakeError("modulus by zero");
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return T{0};
  }
  return a % b;
}

// A sum or difference of nanoseconds, as the type that it belongs to.
template <typename Result, typename Combine>
Value CheckedTime(int64_t a, int64_t b, Combine combine) {
  int64_t nanos = 0;
  if (combine(a, b, &nanos)) return Overflow();
  // Times keep a margin, so that the start of their day is representable too.
  constexpr int64_t kFarthest = 9'214'646'400'000'000'000;
  const bool far = nanos > kFarthest || nanos < -kFarthest;
  if (std::is_same_v<Result, base::Time> && far) return Overflow();
  return Result(base::Duration(nanos));
}

constexpr auto kPlus = [](int64_t a, int64_t b, int64_t* out) {
  return __builtin_add_overflow(a, b, out);
};
constexpr auto kMinus = [](int64_t a, int64_t b, int64_t* out) {
  return __builtin_sub_overflow(a, b, out);
};

int64_t Nanos(base::Time time) { return time.time_since_epoch().count(); }

#define COPPICE_CEL_BOTH(Type, a, b, result)                                             \
  if (const auto *x = (a).As<Type>(), *y = (b).As<Type>(); x != nullptr && y != nullptr) \
  return result

Value JoinLists(const List& a, const List& b, Budget& budget) {
  if (!budget.Spend(a.size() + b.size())) return CostLimit();
  std::vector<Value> items;
  items.reserve(a.size() + b.size());
  for (const List* list : {&a, &b}) {
    for (size_t i = 0; i < list->size(); ++i) {
      items.push_back(list->At(i));
      if (!budget.SpendBytes(items.back().TextSize())) return CostLimit();
    }
  }
  return Value::MakeList(std::move(items));
}

Value Add(Arguments args, Budget& budget) {
  const Value& a = args[0];
  const Value& b = args[1];
  COPPICE_CEL_BOTH(int64_t, a, b, CheckedAdd(*x, *y));
  COPPICE_CEL_BOTH(uint64_t, a, b, CheckedAdd(*x, *y));
  COPPICE_CEL_BOTH(double, a, b, Value(*x + *y));
  if (const auto *x = a.As<std::string>(), *y = b.As<std::string>(); x != nullptr && y != nullptr) {
    return budget.Spend(TraversalCost(x->size() + y->size())) ? Value(*x + *y) : CostLimit();
  }
  if (const auto *x = a.As<Value::Bytes>(), *y = b.As<Value::Bytes>();
      x != nullptr && y != nullptr) {
    if (!budget.Spend(TraversalCost(x->data.size() + y->data.size()))) return CostLimit();
    return Value(Value::Bytes{x->data + y->data});
  }
  if (a.AsList() != nullptr && b.AsList() != nullptr) {
    return JoinLists(*a.AsList(), *b.AsList(), budget);
  }
  COPPICE_CEL_BOTH(base::Duration, a, b,
                   CheckedTime<base::Duration>(x->count(), y->count(), kPlus));
  const auto* time = a.As<base::Time>() != nullptr ? a.As<base::Time>() : b.As<base::Time>();
  const auto* span =
      a.As<base::Duration>() != nullptr ? a.As<base::Duration>() : b.As<base::Duration>();
  if (time != nullptr && span != nullptr) {
    return CheckedTime<base::Time>(Nanos(*time), span->count(), kPlus);
  }
  return Value::NoOverload();
}

Value Subtract(Arguments args, Budget&) {
  const Value& a = args[0];
  const Value& b = args[1];
  COPPICE_CEL_BOTH(int64_t, a, b, CheckedSub(*x, *y));
  COPPICE_CEL_BOTH(uint64_t, a, b, CheckedSub(*x, *y));
  COPPICE_CEL_BOTH(double, a, b, Value(*x - *y));
  COPPICE_CEL_BOTH(base::Duration, a, b,
                   CheckedTime<base::Duration>(x->count(), y->count(), kMinus));
  COPPICE_CEL_BOTH(base::Time, a, b, CheckedTime<base::Duration>(Nanos(*x), Nanos(*y), kMinus));
  if (a.As<base::Time>() != nullptr && b.As<base::Duration>() != nullptr) {
    return CheckedTime<base::Time>(Nanos(*a.As<base::Time>()), b.As<base::Duration>()->count(),
                                   kMinus);
  }
  return Value::NoOverload();
}

Value Multiply(Arguments args, Budget&) {
  COPPICE_CEL_BOTH(int64_t, args[0], args[1], CheckedMul(*x, *y));
  COPPICE_CEL_BOTH(uint64_t, args[0], args[1], CheckedMul(*x, *y));
  COPPICE_CEL_BOTH(double, args[0], args[1], Value(*x * *y));
  return Value::NoOverload();
}

Value Divide(Arguments args, Budget&) {
  COPPICE_CEL_BOTH(int64_t, args[0], args[1], CheckedDiv(*x, *y));
  COPPICE_CEL_BOTH(uint64_t, args[0], args[1], CheckedDiv(*x, *y));
  COPPICE_CEL_BOTH(double, args[0], args[1], Value(*x / *y));
  return Value::NoOverload();
}

Value Modulo(Arguments args, Budget&) {
  COPPICE_CEL_BOTH(int64_t, args[0], args[1], CheckedMod(*x, *y));
  COPPICE_CEL_BOTH(uint64_t, args[0], args[1], CheckedMod(*x, *y));
  return Value::NoOverload();
}

Value Negate(Arguments args, Budget&) {
  if (const auto* i = args[0].As<int64_t>()) return CheckedSub(int64_t{0}, *i);
  if (const auto* d = args[0].As<double>()) return -*d;
  if (const auto* span = args[0].As<base::Duration>()) {
    return CheckedTime<base::Duration>(0, span->count(), kMinus);
  }
  return Value::NoOverload();
}

Value Not(Arguments args, Budget&) {
  const auto* b = args[0].As<bool>();
  return b == nullptr ? Value::NoOverload() : Value(!*b);
}

size_t SizeOf(const Value& value) {
  if (const List* list = value.AsList()) return list->size();
  if (const Map* map = value.AsMap()) return map->size();
  return value.TextSize();
}

// A comparison reads at most the size of the smaller one.
bool SpendOnComparison(Arguments args, Budget& budget) {
  return budget.Spend(TraversalCost(std::min(SizeOf(args[0]), SizeOf(args[1]))));
}

Value IsEqual(Arguments args, Budget& budget) {
  if (!SpendOnComparison(args, budget)) return CostLimit();
  const bool equal = Equal(args[0], args[1], budget);
  return budget.exhausted() ? CostLimit() : Value(equal);
}

Value IsUnequal(Arguments args, Budget& budget) {
  Value equal = IsEqual(args, budget);
  return equal.IsError() ? equal : Value(!equal.IsTrue());
}

template <Order First, Order Second>
Value Ordered(Arguments args, Budget& budget) {
  if (!SpendOnComparison(args, budget)) return CostLimit();
  const Order order = Compare(args[0], args[1]);
  if (order == Order::kNoOverload) return Value::NoOverload();
  return order == First || order == Second;
}

Value In(Arguments args, Budget& budget) {
  if (const Map* map = args[1].AsMap()) {
    Value ignored;
    return map->Find(args[0], ignored);
  }
  const List* list = args[1].AsList();
  if (list == nullptr) return Value::NoOverload();
  if (!budget.Spend(list->size())) return CostLimit();
  bool found = false;
  for (size_t i = 0; i < list->size() && !found && !budget.exhausted(); ++i) {
    found = Equal(args[0], list->At(i), budget);
  }
  return budget.exhausted() ? CostLimit() : Value(found);
}

constexpr Function kFunctions[] = {
    {"+", false, 2, Add},
    {"-", false, 2, Subtract},
    {"*", false, 2, Multiply},
    {"/", false, 2, Divide},
    {"%", false, 2, Modulo},
    {"-", false, 1, Negate},
    {"!", false, 1, Not},
    {"==", false, 2, IsEqual},
    {"!=", false, 2, IsUnequal},
    {"<", false, 2, Ordered<Order::kLess, Order::kLess>},
    {"<=", false, 2, Ordered<Order::kLess, Order::kEqual>},
    {">", false, 2, Ordered<Order::kGreater, Order::kGreater>},
    {">=", false, 2, Ordered<Order::kGreater, Order::kEqual>},
    {"in", false, 2, In},
};

}  // namespace

std::span<const Function> OperatorFunctions() { return kFunctions; }

const Function* FindFunction(std::string_view name, bool member, size_t arguments) {
  for (const auto functions :
       {OperatorFunctions(), ConversionFunctions(), StringFunctions(), RegexFunctions(),
        FormatFunctions(), ListFunctions(), TimeFunctions(), QuantityFunctions(),
        OptionalFunctions(), AuthorizerFunctions()}) {
    for (const Function& function : functions) {
      if (function.name == name && function.member == member && function.arguments == arguments) {
        return &function;
      }
    }
  }
  return nullptr;
}

}  // namespace coppice::cel
