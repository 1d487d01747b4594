#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cel/values/function.h"
#include "cel/values/text.h"

namespace coppice::cel {
namespace {

const std::string* Text(const Value& value) { return value.As<std::string>(); }

bool AreTexts(Arguments args) {
  return std::ranges::all_of(args, [](const Value& one) { return Text(one) != nullptr; });
}

Value OutOfRange(int64_t index) {
  return Value::MakeError("index out of range: " + std::to_string(index));
}

bool SpendOn(const std::string& text, Budget& budget) {
  return budget.Spend(TraversalCost(text.size()));
}

// Never slower than the sum of both sizes, unlike std::string::find.
size_t FindText(std::string_view text, std::string_view wanted, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const void* found = memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// Where the last occurrence starts.
size_t FindLastText(std::string text, std::string wanted) {
  if (wanted.empty()) return text.size();
  std::ranges::reverse(text);
  std::ranges::reverse(wanted);
  const size_t found = FindText(text, wanted, 0);
  return found == std::string::npos ? found : text.size() - found - wanted.size();
}

// Kubernetes charges the product.
Value Contains(Arguments args, Budget& budget) {
  if (!AreTexts(args)) return Value::NoOverload();
  const std::string &text = *Text(args[0]), &wanted = *Text(args[1]);
  const size_t cost = TraversalCost(text.size()) * TraversalCost(wanted.size());
  return budget.Spend(cost) ? Value(FindText(text, wanted, 0) != std::string::npos) : CostLimit();
}

template <bool (*Predicate)(std::string_view, std::string_view)>
Value TextPredicate(Arguments args, Budget& budget) {
  if (!AreTexts(args)) return Value::NoOverload();
  if (!SpendOn(*Text(args[0]), budget)) return CostLimit();
  return Predicate(*Text(args[0]), *Text(args[1]));
}

bool StartsWith(std::string_view a, std::string_view b) { return a.starts_with(b); }
bool EndsWith(std::string_view a, std::string_view b) { return a.ends_with(b); }

Value CharAt(Arguments args, Budget&) {
  const auto* index = args[1].As<int64_t>();
  if (Text(args[0]) == nullptr || index == nullptr) return Value::NoOverload();
  const std::string_view text = *Text(args[0]);
  const size_t at =
      *index < 0 ? std::string_view::npos : ByteOfCodePoint(text, static_cast<size_t>(*index));
  if (at == std::string_view::npos) return OutOfRange(*index);
  return at == text.size() ? Value("") : Value(CodePoints(text.substr(at, 4))[0]);
}

Value Substring(Arguments args, Budget& budget) {
  const auto* text = Text(args[0]);
  const auto* start = args[1].As<int64_t>();
  if (text == nullptr || start == nullptr) return Value::NoOverload();
  if (!SpendOn(*text, budget)) return CostLimit();
  const auto size = static_cast<int64_t>(CountCodePoints(*text));
  const auto* given_end = args.size() == 3 ? args[2].As<int64_t>() : nullptr;
  if (args.size() == 3 && given_end == nullptr) return Value::NoOverload();
  const int64_t end = given_end == nullptr ? size : *given_end;
  if (*start < 0 || *start > size) return OutOfRange(*start);
  if (end < 0 || end > size) return OutOfRange(end);
  if (*start > end) {
    return Value::MakeError(
        fmt::format("invalid substring range. start: {}, end: {}", *start, end));
  }
  const size_t from = ByteOfCodePoint(*text, static_cast<size_t>(*start));
  const size_t to = ByteOfCodePoint(*text, static_cast<size_t>(end));
  return text->substr(from, to - from);
}

Value IndexOf(Arguments args, Budget& budget) {
  if (const List* list = args[0].AsList()) {
    for (size_t i = 0; i < list->size(); ++i) {
      if (!budget.Spend(1)) return CostLimit();
      if (Equal(list->At(i), args[1], budget)) return static_cast<int64_t>(i);
    }
    return -1;
  }
  if (!AreTexts(args.first(2))) return Value::NoOverload();
  if (!SpendOn(*Text(args[0]), budget)) return CostLimit();
  const std::string& text = *Text(args[0]);
  size_t from = 0;
  if (args.size() == 3) {
    const auto* offset = args[2].As<int64_t>();
    if (offset == nullptr) return Value::NoOverload();
    from = *offset < 0 ? std::string::npos : ByteOfCodePoint(text, static_cast<size_t>(*offset));
    if (from == std::string::npos) return OutOfRange(*offset);
  }
  const size_t found = FindText(text, *Text(args[1]), from);
  if (found == std::string::npos) return -1;
  return static_cast<int64_t>(CountCodePoints(std::string_view(text).substr(0, found)));
}

Value LastIndexOf(Arguments args, Budget& budget) {
  if (const List* list = args[0].AsList()) {
    for (size_t i = list->size(); i > 0; --i) {
      if (!budget.Spend(1)) return CostLimit();
      if (Equal(list->At(i - 1), args[1], budget)) return static_cast<int64_t>(i - 1);
    }
    return -1;
  }
  if (!AreTexts(args)) return Value::NoOverload();
  if (!SpendOn(*Text(args[0]), budget)) return CostLimit();
  const std::string& text = *Text(args[0]);
  const size_t found = FindLastText(text, *Text(args[1]));
  if (found == std::string::npos) return -1;
  return static_cast<int64_t>(CountCodePoints(std::string_view(text).substr(0, found)));
}

template <char First, char Last, int Shift>
Value ShiftCase(Arguments args, Budget& budget) {
  if (Text(args[0]) == nullptr) return Value::NoOverload();
  if (!SpendOn(*Text(args[0]), budget)) return CostLimit();
  std::string out = *Text(args[0]);
  for (char& c : out) c = c >= First && c <= Last ? static_cast<char>(c + Shift) : c;
  return out;
}

Value Trim(Arguments args, Budget& budget) {
  if (Text(args[0]) == nullptr) return Value::NoOverload();
  if (!SpendOn(*Text(args[0]), budget)) return CostLimit();
  const std::string& text = *Text(args[0]);
  static constexpr std::string_view kBlank = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// A piece that a function cuts out, as bytes.
constexpr size_t kBytesPerPart = 64;

Value Replace(Arguments args, Budget& budget) {
  if (!AreTexts(args.first(3))) return Value::NoOverload();
  const auto* limit = args.size() == 4 ? args[3].As<int64_t>() : nullptr;
  if (args.size() == 4 && limit == nullptr) return Value::NoOverload();
  int64_t left = limit == nullptr || *limit < 0 ? INT64_MAX : *limit;
  const std::string& text = *Text(args[0]);
  const std::string& from = *Text(args[1]);
  const std::string& to = *Text(args[2]);
  if (!budget.Spend(2 * TraversalCost(text.size()))) return CostLimit();
  std::string out;
  size_t at = 0;
  while (left > 0) {
    // An empty pattern matches between all code points.
    const size_t found = from.empty() ? at : FindText(text, from, at);
    if (found == std::string::npos) break;
    // What grows is paid for, which Kubernetes leaves to its estimates.
    if (!budget.Spend(to.size() / 10) || !budget.SpendBytes(kBytesPerPart)) return CostLimit();
    out.append(text, at, found - at).append(to);
    at = found + from.size();
    --left;
    if (from.empty()) {
      if (at >= text.size()) break;
      const size_t next = at + CodePoints(std::string_view(text).substr(at, 4))[0].size();
      out.append(text, at, next - at);
      at = next;
    }
  }
  if (at < text.size()) out.append(text, at);
  return out;
}

Value Split(Arguments args, Budget& budget) {
  if (!AreTexts(args.first(2))) return Value::NoOverload();
  const auto* limit = args.size() == 3 ? args[2].As<int64_t>() : nullptr;
  if (args.size() == 3 && limit == nullptr) return Value::NoOverload();
  const std::string& text = *Text(args[0]);
  const std::string& by = *Text(args[1]);
  if (!budget.Spend(2 * TraversalCost(text.size()))) return CostLimit();
  std::vector<Value> parts;
  const bool nothing = (limit != nullptr && *limit == 0) || (text.empty() && by.empty());
  if (nothing) return Value::MakeList(std::move(parts));
  const size_t most = limit == nullptr || *limit < 0 ? SIZE_MAX : static_cast<size_t>(*limit);
  size_t at = 0;
  while (parts.size() + 1 < most) {
    const size_t found =
        by.empty() ? ByteOfCodePoint(std::string_view(text).substr(at), 1) : FindText(text, by, at);
    if (found == std::string::npos || (by.empty() && at + found >= text.size())) break;
    if (!budget.SpendBytes(kBytesPerPart)) return CostLimit();
    const size_t end = by.empty() ? at + found : found;
    parts.emplace_back(text.substr(at, end - at));
    at = end + by.size();
  }
  parts.emplace_back(text.substr(at));
  return Value::MakeList(std::move(parts));
}

Value Join(Arguments args, Budget& budget) {
  const List* list = args[0].AsList();
  const std::string* by = args.size() == 2 ? Text(args[1]) : nullptr;
  if (list == nullptr || (args.size() == 2 && by == nullptr)) return Value::NoOverload();
  std::string out;
  for (size_t i = 0; i < list->size(); ++i) {
    const Value item = list->At(i);
    if (Text(item) == nullptr) return Value::NoOverload();
    const size_t added = Text(item)->size() + (by == nullptr ? 0 : by->size());
    if (!budget.Spend(2 * TraversalCost(added))) return CostLimit();
    if (i > 0 && by != nullptr) out += *by;
    out += *Text(item);
  }
  return out;
}

constexpr Function kFunctions[] = {
    {"contains", true, 2, Contains},
    {"startsWith", true, 2, TextPredicate<StartsWith>},
    {"endsWith", true, 2, TextPredicate<EndsWith>},
    {"charAt", true, 2, CharAt},
    {"substring", true, 2, Substring},
    {"substring", true, 3, Substring},
    {"indexOf", true, 2, IndexOf},
    {"indexOf", true, 3, IndexOf},
    {"lastIndexOf", true, 2, LastIndexOf},
    {"lowerAscii", true, 1, ShiftCase<'A', 'Z', 32>},
    {"upperAscii", true, 1, ShiftCase<'a', 'z', -32>},
    {"trim", true, 1, Trim},
    {"replace", true, 3, Replace},
    {"replace", true, 4, Replace},
    {"split", true, 2, Split},
    {"split", true, 3, Split},
    {"join", true, 1, Join},
    {"join", true, 2, Join},
};

}  // namespace

std::span<const Function> StringFunctions() { return kFunctions; }

}  // namespace coppice::cel
