#include "cel/evaluator.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "cel/values/regex.h"

namespace coppice::cel {
namespace {

Value NoSuchKey(const Value& key) {
  if (const auto* text = key.As<std::string>()) {
    return Value::MakeError(fmt::format("no such key: {}", *text));
  }
  if (const auto* number = key.As<int64_t>()) {
    return Value::MakeError(fmt::format("no such key: {}", *number));
  }
  return Value::MakeError("no such key");
}

// The integer value of an index; doubles without a fraction count.
std::optional<int64_t> AsIndex(const Value& value) {
  if (const auto* i = value.As<int64_t>()) return *i;
  if (const auto* u = value.As<uint64_t>()) {
    return *u >> 63 == 0 ? std::optional(static_cast<int64_t>(*u)) : std::nullopt;
  }
  const auto* d = value.As<double>();
  if (d == nullptr || std::trunc(*d) != *d || std::abs(*d) > 9e15) return std::nullopt;
  return static_cast<int64_t>(*d);
}

Value LookUp(const Value& target, const Value& key) {
  if (const Map* map = target.AsMap()) {
    Value out;
    return map->Find(key, out) ? out : NoSuchKey(key);
  }
  const List* list = target.AsList();
  if (list == nullptr) return Value::NoOverload();
  const auto index = AsIndex(key);
  if (!index) return Value::NoOverload();
  if (*index < 0 || static_cast<size_t>(*index) >= list->size()) {
    return Value::MakeError(fmt::format("index out of bounds: {}", *index));
  }
  return list->At(static_cast<size_t>(*index));
}

bool IsMissing(const Value& value) {
  const auto message = value.ErrorMessage();
  return message.starts_with("no such key") || message.starts_with("index out of bounds");
}

// target[key] where either may be optional: absence is an empty optional instead of an error.
Value LookUpOptional(const Value& target, const Value& key) {
  const auto* optional = target.As<Value::Optional>();
  if (optional != nullptr && optional->held == nullptr) return target;
  Value found = LookUp(optional != nullptr ? *optional->held : target, key);
  if (IsMissing(found)) return Value::NoneOptional();
  return found.IsError() ? found : Value::SomeOptional(std::move(found));
}

}  // namespace

Evaluator::Evaluator(std::span<const Value> variables, size_t slots, Budget& budget)
    : frame_(variables.begin(), variables.end()), budget_(budget) {
  frame_.resize(std::max(slots, frame_.size()));
}

// Values are handed on by copy, and many functions walk over their texts once for a single step.
Value Evaluator::Evaluate(const Node& node) {
  if (!budget_.Spend(1)) return CostLimit();
  Value value = EvaluateKind(node);
  return budget_.SpendBytes(value.TextSize()) ? value : CostLimit();
}

Value Evaluator::EvaluateKind(const Node& node) {
  switch (node.kind) {
    case NodeKind::kLiteral:
      return node.literal;
    case NodeKind::kVariable:
      return frame_[node.slot];
    case NodeKind::kSelect:
      return Select(node);
    case NodeKind::kHas:
      return Has(node);
    case NodeKind::kIndex:
      return Index(node);
    case NodeKind::kCall:
      return Call(node);
    case NodeKind::kAnd:
      return Logical(node, false);
    case NodeKind::kOr:
      return Logical(node, true);
    case NodeKind::kConditional:
      return Conditional(node);
    case NodeKind::kList:
      return MakeList(node);
    case NodeKind::kMap:
      return MakeMap(node);
    case NodeKind::kAll:
    case NodeKind::kExists:
      return Quantify(node);
    case NodeKind::kExistsOne:
      return CountExactlyOne(node);
    case NodeKind::kFilter:
    case NodeKind::kMapTo:
      return Collect(node);
    case NodeKind::kTransformMap:
      return TransformMap(node);
    case NodeKind::kBind:
      return Bind(node);
    case NodeKind::kOptMap:
    case NodeKind::kOptFlatMap:
      return OptionalMap(node);
  }
  return Value::MakeError("unknown expression");
}

Value Evaluator::Select(const Node& node) {
  Value target = Evaluate(*node.children[0]);
  if (target.IsError()) return target;
  if (node.optional || target.As<Value::Optional>() != nullptr) {
    return LookUpOptional(target, node.text);
  }
  if (const Object* object = target.AsObject()) return object->Field(node.text);
  if (target.AsMap() == nullptr) return Value::NoOverload();
  return LookUp(target, node.text);
}

Value Evaluator::Has(const Node& node) {
  Value target = Evaluate(*node.children[0]);
  if (target.IsError()) return target;
  if (const auto* optional = target.As<Value::Optional>()) {
    if (optional->held == nullptr) return false;
    target = Value(*optional->held);
  }
  const Map* map = target.AsMap();
  if (map == nullptr) return Value::NoOverload();
  Value ignored;
  return map->Find(node.text, ignored);
}

Value Evaluator::Index(const Node& node) {
  Value target = Evaluate(*node.children[0]);
  if (target.IsError()) return target;
  Value key = Evaluate(*node.children[1]);
  if (key.IsError()) return key;
  const bool optional = node.optional || target.As<Value::Optional>() != nullptr;
  return optional ? LookUpOptional(target, key) : LookUp(target, key);
}

Value Evaluator::Call(const Node& node) {
  std::vector<Value> arguments;
  arguments.reserve(node.children.size());
  for (const NodePtr& child : node.children) {
    arguments.push_back(Evaluate(*child));
    if (arguments.back().IsError()) return arguments.back();
  }
  if (node.regex != nullptr) {
    const auto* text = arguments[0].As<std::string>();
    return text == nullptr ? Value::NoOverload() : MatchRegex(*text, *node.regex, budget_);
  }
  return node.function->call(arguments, budget_);
}

// One operand with the deciding value decides, whatever the others are, errors included.
Value Evaluator::Logical(const Node& node, bool decides) {
  Value error;
  bool failed = false;
  for (const NodePtr& child : node.children) {
    Value value = Evaluate(*child);
    if (decides ? value.IsTrue() : value.IsFalse()) return decides;
    if (decides ? value.IsFalse() : value.IsTrue()) continue;
    if (failed) continue;
    failed = true;
    error = value.IsError() ? std::move(value) : Value::NoOverload();
  }
  return failed ? error : Value(!decides);
}

Value Evaluator::Conditional(const Node& node) {
  Value condition = Evaluate(*node.children[0]);
  if (condition.IsError()) return condition;
  if (condition.As<bool>() == nullptr) return Value::NoOverload();
  return Evaluate(*node.children[condition.IsTrue() ? 1 : 2]);
}

Value Evaluator::MakeList(const Node& node) {
  std::vector<Value> items;
  for (size_t i = 0; i < node.children.size(); ++i) {
    Value item = Evaluate(*node.children[i]);
    if (item.IsError()) return item;
    if (node.optional_items[i]) {
      const auto* optional = item.As<Value::Optional>();
      if (optional == nullptr) return Value::NoOverload();
      if (optional->held == nullptr) continue;
      item = Value(*optional->held);
    }
    items.push_back(std::move(item));
  }
  return Value::MakeList(std::move(items));
}

Value Evaluator::MakeMap(const Node& node) {
  std::vector<std::pair<Value, Value>> entries;
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    Value key = Evaluate(*node.children[i]);
    if (key.IsError()) return key;
    if (!IsMapKey(key)) return Value::MakeError("unsupported key type");
    Value value = Evaluate(*node.children[i + 1]);
    if (value.IsError()) return value;
    if (node.optional_items[i / 2]) {
      const auto* optional = value.As<Value::Optional>();
      if (optional == nullptr) return Value::NoOverload();
      if (optional->held == nullptr) continue;
      value = Value(*optional->held);
    }
    entries.emplace_back(std::move(key), std::move(value));
  }
  return Value::MakeMap(std::move(entries));
}

template <typename Visit>
Value Evaluator::ForEach(const Node& node, Visit visit) {
  const Value range = Evaluate(*node.children[0]);
  if (range.IsError()) return range;
  const List* list = range.AsList();
  const Map* map = range.AsMap();
  if (list == nullptr && map == nullptr) return Value::NoOverload();
  const size_t size = list != nullptr ? list->size() : map->size();
  for (size_t i = 0; i < size; ++i) {
    if (!budget_.Spend(1)) return CostLimit();
    Value first = list != nullptr ? list->At(i) : map->KeyAt(i);
    if (node.names.size() == 2) {
      // Two names: index and item, or key and value.
      Value second = first;
      if (map != nullptr) map->Find(first, second);
      frame_[node.slot + 1] = std::move(second);
      if (list != nullptr) first = Value(static_cast<int64_t>(i));
    }
    if (!budget_.SpendBytes(first.TextSize())) return CostLimit();
    frame_[node.slot] = std::move(first);
    if (!visit()) break;
  }
  return Value();
}

Value Evaluator::Quantify(const Node& node) {
  const bool decides = node.kind == NodeKind::kExists;
  Value result(!decides);
  Value walked = ForEach(node, [&] {
    Value value = Evaluate(*node.children[1]);
    if (decides ? value.IsTrue() : value.IsFalse()) {
      result = Value(decides);
      return false;
    }
    if (value.As<bool>() == nullptr && !result.IsError()) {
      result = value.IsError() ? std::move(value) : Value::NoOverload();
    }
    return !budget_.exhausted();
  });
  return walked.IsError() ? walked : result;
}

Value Evaluator::CountExactlyOne(const Node& node) {
  size_t count = 0;
  Value error;
  Value walked = ForEach(node, [&] {
    Value value = Evaluate(*node.children[1]);
    count += value.IsTrue() ? 1 : 0;
    if (value.As<bool>() == nullptr) error = value.IsError() ? value : Value::NoOverload();
    return !error.IsError();
  });
  if (walked.IsError()) return walked;
  return error.IsError() ? error : Value(count == 1);
}

// transformMap(key, value, [predicate,] new value): the keys stay.
Value Evaluator::TransformMap(const Node& node) {
  std::vector<std::pair<Value, Value>> entries;
  Value error;
  Value walked = ForEach(node, [&] {
    const Value key = frame_[node.slot];
    if (node.children.size() == 3) {
      const Value keep = Evaluate(*node.children[1]);
      if (keep.IsFalse()) return true;
      if (!keep.IsTrue()) error = keep.IsError() ? keep : Value::NoOverload();
    }
    Value out = Evaluate(*node.children.back());
    if (out.IsError() && !error.IsError()) error = std::move(out);
    if (error.IsError()) return false;
    entries.emplace_back(key, std::move(out));
    return true;
  });
  if (walked.IsError()) return walked;
  return error.IsError() ? error : Value::MakeMap(std::move(entries));
}

// filter keeps the items that the predicate holds for; map collects what its last argument gives,
// for those that the predicate, if any, holds for.
Value Evaluator::Collect(const Node& node) {
  const bool filters = node.kind == NodeKind::kFilter || node.children.size() == 3;
  std::vector<Value> items;
  Value error;
  Value walked = ForEach(node, [&] {
    const Value item = frame_[node.slot];
    if (filters) {
      const Value keep = Evaluate(*node.children[1]);
      if (keep.IsFalse()) return true;
      if (!keep.IsTrue()) error = keep.IsError() ? keep : Value::NoOverload();
    }
    Value out = node.kind == NodeKind::kFilter ? item : Evaluate(*node.children.back());
    if (out.IsError() && !error.IsError()) error = std::move(out);
    if (error.IsError()) return false;
    items.push_back(std::move(out));
    return true;
  });
  if (walked.IsError()) return walked;
  return error.IsError() ? error : Value::MakeList(std::move(items));
}

Value Evaluator::Bind(const Node& node) {
  Value bound = Evaluate(*node.children[0]);
  if (bound.IsError()) return bound;
  frame_[node.slot] = std::move(bound);
  return Evaluate(*node.children[1]);
}

Value Evaluator::OptionalMap(const Node& node) {
  const Value target = Evaluate(*node.children[0]);
  if (target.IsError()) return target;
  const auto* optional = target.As<Value::Optional>();
  if (optional == nullptr) return Value::NoOverload();
  if (optional->held == nullptr) return target;
  frame_[node.slot] = *optional->held;
  Value out = Evaluate(*node.children[1]);
  if (out.IsError() || node.kind == NodeKind::kOptFlatMap) return out;
  return Value::SomeOptional(std::move(out));
}

}  // namespace coppice::cel
