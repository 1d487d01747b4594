#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "json/write.h"
#include "services/grouper/karta/jq_ast.h"

namespace coppice::services::grouper {
namespace {

using json::Value;
using Node = Jq::Node;
using Values = std::vector<Value>;

// What one evaluation may spend: about a value, or eight bytes of text, each. Iterations multiply
// and
// "." + "." doubles, so a short expression could otherwise ask for more than there is memory.
constexpr size_t kMaxWork = 1'000'000;
// What sorting may cost more than looking at each item once.
constexpr size_t kSortFactor = 32;

bool IsTrue(const Value& value) { return !value.IsNull() && !(value.IsBool() && !value.AsBool()); }

std::string_view TypeOf(const Value& value) {
  if (value.IsNull()) return "null";
  if (value.IsBool()) return "boolean";
  if (value.IsNumber()) return "number";
  if (value.IsString()) return "string";
  return value.IsArray() ? "array" : "object";
}

base::Error Mismatch(std::string_view what, const Value& value) {
  return base::InvalidArgument(fmt::format("jq: cannot {} {}", what, TypeOf(value)));
}

Value Number(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<int64_t>(value);
  return value;
}

// jq's order of types, then of values.
int Compare(const Value& a, const Value& b) {
  const auto rank = [](const Value& value) {
    if (value.IsNull()) return 0;
    if (value.IsBool()) return value.AsBool() ? 2 : 1;
    if (value.IsNumber()) return 3;
    if (value.IsString()) return 4;
    return value.IsArray() ? 5 : 6;
  };
  if (rank(a) != rank(b)) return rank(a) - rank(b);
  if (a.IsNumber()) return (a.AsDouble() > b.AsDouble()) - (a.AsDouble() < b.AsDouble());
  if (a.IsString()) return a.AsString().compare(b.AsString());
  if (a == b) return 0;
  return json::Write(a).compare(json::Write(b));
}

base::Result<Value> Arithmetic(const std::string& op, const Value& a, const Value& b) {
  if (op == "+") {
    if (a.IsNull()) return b;
    if (b.IsNull()) return a;
    if (a.IsString() && b.IsString()) return Value(a.ToString() + b.ToString());
    if (a.IsArray() && b.IsArray()) {
      Value sum = a;
      for (const Value& item : b.Items()) sum.Append(item);
      return sum;
    }
  }
  if (!a.IsNumber() || !b.IsNumber()) return Mismatch("calculate with", a.IsNumber() ? b : a);
  const double x = a.AsDouble(), y = b.AsDouble();
  if (op == "+") return Number(x + y);
  if (op == "-") return Number(x - y);
  if (op == "*") return Number(x * y);
  if (y == 0) return base::InvalidArgument("jq: division by zero");
  return Number(op == "/" ? x / y : std::fmod(std::trunc(x), std::trunc(y)));
}

Value Binary(const std::string& op, const Value& a, const Value& b) {
  const int order = Compare(a, b);
  if (op == "==") return a == b;
  if (op == "!=") return !(a == b);
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  return order >= 0;
}

base::Result<Value> IndexOf(const Value& of, const Value& index) {
  if (of.IsNull()) return Value();
  if (index.IsString() && of.IsObject()) return of[index.AsString()];
  if (index.IsNumber() && of.IsArray()) {
    const int64_t at = index.AsInt();
    const int64_t size = static_cast<int64_t>(of.size());
    const int64_t from = at < 0 ? at + size : at;
    return from < 0 || from >= size ? Value() : of.At(static_cast<size_t>(from));
  }
  return Mismatch("index", of);
}

base::Result<Value> Length(const Value& value) {
  if (value.IsNull()) return Value(0);
  if (value.IsString()) return Value(static_cast<int64_t>(value.AsString().size()));
  if (value.IsArray() || value.IsObject()) return Value(static_cast<int64_t>(value.size()));
  if (value.IsNumber()) return Number(std::abs(value.AsDouble()));
  return Mismatch("measure", value);
}

base::Result<Value> ToNumber(const Value& value) {
  if (value.IsNumber()) return value;
  const std::string text = value.ToString();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (!value.IsString() || text.empty() || *end != 0 || !std::isfinite(number)) {
    return Mismatch("make a number of", value);
  }
  return Number(number);
}

// Lists and texts grow in place: adding one to another copies both.
base::Result<Value> Add(const Value& list) {
  Value sum;
  Values items;
  std::string text;
  for (const Value& item : list.Items()) {
    if (sum.IsString() && item.IsString()) {
      text += item.AsString();
    } else if (sum.IsArray() && item.IsArray()) {
      items.insert(items.end(), item.Items().begin(), item.Items().end());
    } else {
      COPPICE_ASSIGN(sum, Arithmetic("+", sum, item));
      if (sum.IsString()) text = sum.AsString();
      if (sum.IsArray()) items.assign(sum.Items().begin(), sum.Items().end());
    }
  }
  if (sum.IsString()) return Value(text);
  return sum.IsArray() ? Value::Array(std::move(items)) : sum;
}

base::Result<Value> Plain(const std::string& name, const Value& input) {
  if (name == "length") return Length(input);
  if (name == "not") return Value(!IsTrue(input));
  if (name == "type") return Value(TypeOf(input));
  if (name == "tonumber") return ToNumber(input);
  if (name == "tostring") return input.IsString() ? input : Value(json::Write(input));
  if (name == "floor") return Number(std::floor(input.AsDouble()));
  if (name == "ascii_downcase") {
    std::string text = input.ToString();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return c < 128 ? std::tolower(c) : c; });
    return Value(text);
  }
  if (name == "keys" && input.IsObject()) {
    Value keys = Value::Array();
    for (const json::Member& member : input.Members()) keys.Append(member.key);
    return keys;
  }
  if (name == "to_entries" && input.IsObject()) {
    Value entries = Value::Array();
    for (const json::Member& member : input.Members()) {
      entries.Append(Value::Object({{"key", member.key}, {"value", member.value}}));
    }
    return entries;
  }
  if (!input.IsArray()) return Mismatch(name + " of", input);
  if (name == "add") return Add(input);
  if (name == "first") return input.At(0);
  if (name == "last") return input.empty() ? Value() : input.At(input.size() - 1);
  const auto items = input.Items();
  if (name == "any") return Value(std::any_of(items.begin(), items.end(), IsTrue));
  if (name == "all") return Value(std::all_of(items.begin(), items.end(), IsTrue));
  Values sorted(items.begin(), items.end());
  if (name == "reverse") {
    std::reverse(sorted.begin(), sorted.end());
    return Value::Array(std::move(sorted));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Value& a, const Value& b) { return Compare(a, b) < 0; });
  if (name == "min") return sorted.empty() ? Value() : sorted.front();
  if (name == "max") return sorted.empty() ? Value() : sorted.back();
  if (name == "unique") sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return Value::Array(std::move(sorted));
}

Value Split(std::string_view text, std::string_view separator) {
  Value parts = Value::Array();
  while (!separator.empty()) {
    const size_t at = text.find(separator);
    parts.Append(text.substr(0, at));
    if (at == text.npos) break;
    text.remove_prefix(at + separator.size());
  }
  return parts;
}

base::Result<Value> WithArgument(const std::string& name, const Value& input,
                                 const Value& argument) {
  const std::string_view text = input.AsString(), other = argument.AsString();
  if (name == "has") {
    if (input.IsObject()) return Value(input.Has(other));
    const int64_t at = argument.AsInt(-1);
    return Value(at >= 0 && at < static_cast<int64_t>(input.size()));
  }
  if (name == "join") {
    std::string joined;
    for (const Value& item : input.Items()) {
      joined += joined.empty() ? "" : std::string(other);
      joined += item.IsString() ? item.ToString() : json::Write(item);
    }
    return Value(joined);
  }
  if (name == "contains" && !input.IsString()) {
    for (const Value& item : argument.Items()) {
      const auto items = input.Items();
      if (std::find(items.begin(), items.end(), item) == items.end()) return Value(false);
    }
    return Value(input.IsArray() && argument.IsArray());
  }
  if (!input.IsString() || !argument.IsString()) return Mismatch(name + " of", input);
  if (name == "contains") return Value(text.find(other) != text.npos);
  if (name == "startswith") return Value(text.starts_with(other));
  if (name == "endswith") return Value(text.ends_with(other));
  if (name == "split") return Split(text, other);
  if (name == "ltrimstr") return text.starts_with(other) ? Value(text.substr(other.size())) : input;
  return text.ends_with(other) ? Value(text.substr(0, text.size() - other.size())) : input;
}

class Evaluator {
 public:
  base::Status Run(const Node& node, const Value& input, Values& out) {
    COPPICE_TRY(Spend(1));
    using Kind = Node::Kind;
    switch (node.kind) {
      case Kind::kIdentity:
        return Give(input, out);
      case Kind::kLiteral:
        return Give(node.value, out);
      case Kind::kField:
        return Field(node, input, out);
      case Kind::kIndex:
        return Pairs(node, input, out, IndexOf);
      case Kind::kIterate:
        return Iterate(node, input, out);
      case Kind::kArray:
        return Collect(node, input, out);
      case Kind::kPipe:
        return Pipe(node, input, out);
      case Kind::kComma:
        COPPICE_TRY(Run(*node.children[0], input, out));
        return Run(*node.children[1], input, out);
      case Kind::kAlternative:
        return Alternative(node, input, out);
      case Kind::kAnd:
      case Kind::kOr:
        return Logic(node, input, out);
      case Kind::kBinary:
        return Operate(node, input, out);
      case Kind::kNegate:
        return Negate(node, input, out);
      case Kind::kOptional:
        return Optional(node, input, out);
      case Kind::kIf:
        return Conditional(node, input, out);
      case Kind::kCall:
        return Call(node, input, out);
    }
    return {};
  }

 private:
  // Once everything is spent, every call fails.
  base::Status Spend(size_t work) {
    left_ -= std::min(work, left_);
    if (left_ > 0) return {};
    return base::InvalidArgument("jq: the expression takes too much work");
  }

  // Adds the cost of reading all of a value, up to the remaining budget. Values share parts:
  // written out, one could be far larger than the memory that it takes.
  void Weigh(const Value& value, size_t& weight) const {
    weight += 1 + value.AsString().size() / 8;
    for (const Value& item : value.Items()) {
      if (weight < left_) Weigh(item, weight);
    }
    for (const json::Member& member : value.Members()) {
      weight += member.name().size() / 8;
      if (weight < left_) Weigh(member.value, weight);
    }
  }

  base::Status SpendOn(const Value& value, size_t times = 1) {
    size_t weight = 0;
    Weigh(value, weight);
    return Spend(std::min(weight, left_) * times);
  }

  base::Status Give(Value value, Values& out) {
    COPPICE_TRY(Spend(1));
    out.push_back(std::move(value));
    return {};
  }

  base::Status Optional(const Node& node, const Value& input, Values& out) {
    Values inner;
    if (Run(*node.children[0], input, inner)) out.insert(out.end(), inner.begin(), inner.end());
    return Spend(1);
  }

  base::Status GiveArray(Values items, Values& out) {
    Value array = Value::Array(std::move(items));
    COPPICE_TRY(SpendOn(array));
    return Give(std::move(array), out);
  }

  base::Result<Values> All(const Node& node, const Value& input) {
    Values values;
    COPPICE_TRY(Run(node, input, values));
    return values;
  }

  base::Status Field(const Node& node, const Value& input, Values& out) {
    COPPICE_ASSIGN(const Values of, All(*node.children[0], input));
    for (const Value& value : of) {
      if (!value.IsNull() && !value.IsObject())
        return Mismatch("look for ." + node.text + " in", value);
      COPPICE_TRY(Give(value[node.text], out));
    }
    return {};
  }

  template <typename Function>
  base::Status Pairs(const Node& node, const Value& input, Values& out, Function function) {
    COPPICE_ASSIGN(const Values left, All(*node.children[0], input));
    COPPICE_ASSIGN(const Values right, All(*node.children[1], input));
    for (const Value& b : right) {
      for (const Value& a : left) {
        if (node.kind == Node::Kind::kBinary) {
          COPPICE_TRY(SpendOn(a));
          COPPICE_TRY(SpendOn(b));
        }
        COPPICE_ASSIGN(Value value, function(a, b));
        COPPICE_TRY(Give(std::move(value), out));
      }
    }
    return {};
  }

  base::Status Iterate(const Node& node, const Value& input, Values& out) {
    COPPICE_ASSIGN(const Values of, All(*node.children[0], input));
    for (const Value& value : of) {
      if (!value.IsArray() && !value.IsObject()) return Mismatch("iterate over", value);
      COPPICE_TRY(Spend(value.size()));
      for (const Value& item : value.Items()) out.push_back(item);
      for (const json::Member& member : value.Members()) out.push_back(member.value);
    }
    return {};
  }

  base::Status Collect(const Node& node, const Value& input, Values& out) {
    COPPICE_ASSIGN(Values values, All(*node.children[0], input));
    return GiveArray(std::move(values), out);
  }

  base::Status Pipe(const Node& node, const Value& input, Values& out) {
    COPPICE_ASSIGN(const Values left, All(*node.children[0], input));
    for (const Value& value : left) COPPICE_TRY(Run(*node.children[1], value, out));
    return {};
  }

  base::Status Alternative(const Node& node, const Value& input, Values& out) {
    Values left;
    (void)Run(*node.children[0], input, left);
    const size_t before = out.size();
    for (const Value& value : left) {
      if (IsTrue(value)) out.push_back(value);
    }
    return out.size() > before ? Spend(1) : Run(*node.children[1], input, out);
  }

  base::Status Logic(const Node& node, const Value& input, Values& out) {
    const bool stops_at = node.kind == Node::Kind::kOr;
    COPPICE_ASSIGN(const Values left, All(*node.children[0], input));
    for (const Value& value : left) {
      if (IsTrue(value) == stops_at) {
        COPPICE_TRY(Give(stops_at, out));
        continue;
      }
      COPPICE_ASSIGN(const Values right, All(*node.children[1], input));
      for (const Value& other : right) COPPICE_TRY(Give(IsTrue(other), out));
    }
    return {};
  }

  base::Status Operate(const Node& node, const Value& input, Values& out) {
    static constexpr std::string_view kCalculations = "+-*/%";
    const std::string& op = node.text;
    if (op.size() == 1 && kCalculations.find(op[0]) != std::string_view::npos) {
      return Pairs(node, input, out,
                   [&](const Value& a, const Value& b) { return Arithmetic(op, a, b); });
    }
    return Pairs(node, input, out, [&](const Value& a, const Value& b) {
      return base::Result<Value>(Binary(op, a, b));
    });
  }

  base::Status Negate(const Node& node, const Value& input, Values& out) {
    COPPICE_ASSIGN(const Values of, All(*node.children[0], input));
    for (const Value& value : of) {
      COPPICE_ASSIGN(Value negated, Arithmetic("-", 0, value));
      out.push_back(std::move(negated));
    }
    return {};
  }

  base::Status Conditional(const Node& node, const Value& input, Values& out) {
    COPPICE_ASSIGN(const Values conditions, All(*node.children[0], input));
    for (const Value& condition : conditions) {
      COPPICE_TRY(Run(*node.children[IsTrue(condition) ? 1 : 2], input, out));
    }
    return {};
  }

  base::Status Call(const Node& node, const Value& input, Values& out) {
    if (node.text == "empty") return {};
    if (node.text == "values") return input.IsNull() ? base::Status() : Give(input, out);
    if (node.children.empty()) {
      const bool sorts =
          node.text == "sort" || node.text == "unique" || node.text == "min" || node.text == "max";
      COPPICE_TRY(SpendOn(input, sorts ? kSortFactor : 1));
      COPPICE_ASSIGN(Value value, Plain(node.text, input));
      return Give(std::move(value), out);
    }
    const Node& argument = *node.children[0];
    if (node.text == "map") return Map(argument, input, out);
    COPPICE_ASSIGN(const Values values, All(argument, input));
    if (node.text == "first") return values.empty() ? base::Status() : Give(values.front(), out);
    if (node.text == "any" || node.text == "all") return Quantify(node, argument, input, out);
    for (const Value& value : values) {
      if (node.text == "select") {
        if (IsTrue(value)) COPPICE_TRY(Give(input, out));
        continue;
      }
      // Contains looks for each item among all of them; join repeats the argument.
      COPPICE_TRY(SpendOn(input, 1 + value.size()));
      COPPICE_TRY(SpendOn(value, 1 + input.size()));
      COPPICE_ASSIGN(Value result, WithArgument(node.text, input, value));
      COPPICE_TRY(Give(std::move(result), out));
    }
    return {};
  }

  base::Status Map(const Node& argument, const Value& input, Values& out) {
    Values mapped;
    for (const Value& item : input.Items()) COPPICE_TRY(Run(argument, item, mapped));
    return GiveArray(std::move(mapped), out);
  }

  base::Status Quantify(const Node& node, const Node& argument, const Value& input, Values& out) {
    Values answers;
    for (const Value& item : input.Items()) COPPICE_TRY(Run(argument, item, answers));
    const bool holds = node.text == "any" ? std::any_of(answers.begin(), answers.end(), IsTrue)
                                          : std::all_of(answers.begin(), answers.end(), IsTrue);
    return Give(holds, out);
  }

  size_t left_ = kMaxWork;
};

}  // namespace

base::Result<std::vector<Value>> Jq::Evaluate(const Value& input) const {
  Values out;
  COPPICE_TRY(Evaluator().Run(*root_, input, out));
  return out;
}

}  // namespace coppice::services::grouper
