#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "cel/values/function.h"

namespace coppice::cel {
namespace {

// The text for %s; lists and maps as in an expression. Truncated once the budget is spent.
std::string Shown(const Value& value, bool quoted, Budget& budget) {
  if (!budget.Spend(1) || !budget.SpendBytes(value.TextSize())) return "";
  if (const auto* text = value.As<std::string>()) {
    return quoted ? fmt::format("\"{}\"", *text) : *text;
  }
  if (value.IsNull()) return "null";
  if (const List* list = value.AsList()) {
    std::string out;
    for (size_t i = 0; i < list->size() && !budget.exhausted(); ++i) {
      out += fmt::format("{}{}", i == 0 ? "" : ", ", Shown(list->At(i), true, budget));
    }
    return fmt::format("[{}]", out);
  }
  if (const Map* map = value.AsMap()) {
    std::string out;
    for (size_t i = 0; i < map->size() && !budget.exhausted(); ++i) {
      Value held;
      map->Find(map->KeyAt(i), held);
      out += fmt::format("{}{}: {}", i == 0 ? "" : ", ", Shown(map->KeyAt(i), true, budget),
                         Shown(held, true, budget));
    }
    return fmt::format("{{{}}}", out);
  }
  static const Function* const kToText = FindFunction("string", false, 1);
  const Value text = kToText->call({&value, 1}, budget);
  return text.IsError() ? std::string(value.TypeName()) : *text.As<std::string>();
}

std::optional<int64_t> WholeNumber(const Value& value) {
  if (const auto* i = value.As<int64_t>()) return *i;
  if (const auto* u = value.As<uint64_t>()) return static_cast<int64_t>(*u);
  return std::nullopt;
}

std::optional<double> Number(const Value& value) {
  if (const auto* d = value.As<double>()) return *d;
  if (const auto whole = WholeNumber(value)) return static_cast<double>(*whole);
  return std::nullopt;
}

// One clause; nothing when the value does not fit it.
std::optional<std::string> Clause(char verb, int precision, const Value& value, Budget& budget) {
  if (verb == 's') return Shown(value, false, budget);
  if (verb == 'f' || verb == 'e') {
    const auto number = Number(value);
    if (!number) return std::nullopt;
    return verb == 'f' ? fmt::format("{:.{}f}", *number, precision)
                       : fmt::format("{:.{}e}", *number, precision);
  }
  const auto number = WholeNumber(value);
  if (!number) return std::nullopt;
  switch (verb) {
    case 'd':
      return fmt::format("{}", *number);
    case 'x':
      return fmt::format("{:x}", *number);
    case 'X':
      return fmt::format("{:X}", *number);
    case 'o':
      return fmt::format("{:o}", *number);
    case 'b':
      return fmt::format("{:b}", *number);
    default:
      return std::nullopt;
  }
}

Value Format(Arguments args, Budget& budget) {
  const auto* text = args[0].As<std::string>();
  const List* values = args[1].AsList();
  if (text == nullptr || values == nullptr) return Value::NoOverload();
  if (!budget.Spend(TraversalCost(text->size()))) return CostLimit();
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < text->size(); ++i) {
    if ((*text)[i] != '%') {
      out += (*text)[i];
      continue;
    }
    if (text->compare(i, 2, "%%") == 0) {
      out += '%';
      ++i;
      continue;
    }
    int precision = 6;
    if (text->compare(i, 2, "%.") == 0) {
      const char* from = text->data() + i + 2;
      const auto parsed = std::from_chars(from, text->data() + text->size(), precision);
      if (parsed.ptr == from || precision < 0 || precision > 100) {
        return Value::MakeError("could not parse formatting clause: invalid precision");
      }
      i = static_cast<size_t>(parsed.ptr - text->data()) - 1;
    }
    if (++i >= text->size()) return Value::MakeError("unexpected end of format string");
    if (next >= values->size()) return Value::MakeError("index out of range");
    const auto clause = Clause((*text)[i], precision, values->At(next++), budget);
    if (!clause) {
      return Value::MakeError(
          fmt::format("error during formatting: %{} does not take this value", (*text)[i]));
    }
    if (!budget.Spend(clause->size() / 10 + 1)) return CostLimit();
    out += *clause;
  }
  return out;
}

constexpr Function kFunctions[] = {{"format", true, 2, Format}};

}  // namespace

std::span<const Function> FormatFunctions() { return kFunctions; }

}  // namespace coppice::cel
