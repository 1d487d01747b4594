#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "cel/function.h"
#include "cel/text.h"

namespace coppice::cel {
namespace {

const std::string* Text(const Value& value) { return value.As<std::string>(); }

bool AreTexts(Arguments args) {
  return std::ranges::all_of(args, [](const Value& one) { return Text(one) != nullptr; });
}

Value OutOfRange(int64_t index) {
  return Value::MakeError("index out of range: " + std::to_string(index));
}

// Work in proportion to the texts involved.
bool SpendOn(Arguments args, Budget& budget) {
  size_t bytes = 0;
  for (const Value& one : args) bytes += Text(one) != nullptr ? Text(one)->size() : 0;
  return budget.Spend(bytes / 10);
}

template <bool (*Predicate)(std::string_view, std::string_view)>
Value TextPredicate(Arguments args, Budget& budget) {
  if (!AreTexts(args)) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
  return Predicate(*Text(args[0]), *Text(args[1]));
}

bool Contains(std::string_view a, std::string_view b) {
  return a.find(b) != std::string_view::npos;
}
bool StartsWith(std::string_view a, std::string_view b) { return a.starts_with(b); }
bool EndsWith(std::string_view a, std::string_view b) { return a.ends_with(b); }

// A pattern that is only known now; null when it is malformed.
std::unique_ptr<re2::RE2> CompileRegex(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_unique<re2::RE2>(pattern, options);
  return regex->ok() ? std::move(regex) : nullptr;
}

Value BadRegex(const std::string& pattern) {
  return Value::MakeError("error parsing regexp: `" + pattern + "`");
}

Value Matches(Arguments args, Budget& budget) {
  if (!AreTexts(args)) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
  const auto regex = CompileRegex(*Text(args[1]));
  if (regex == nullptr) return BadRegex(*Text(args[1]));
  return re2::RE2::PartialMatch(*Text(args[0]), *regex);
}

Value Find(Arguments args, Budget& budget) {
  if (!AreTexts(args)) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
  const auto regex = CompileRegex(*Text(args[1]));
  if (regex == nullptr) return BadRegex(*Text(args[1]));
  re2::StringPiece match;
  const re2::StringPiece text(*Text(args[0]));
  if (!regex->Match(text, 0, text.size(), re2::RE2::UNANCHORED, &match, 1)) return "";
  return std::string(match.data(), match.size());
}

Value FindAll(Arguments args, Budget& budget) {
  if (!AreTexts(args.first(2))) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
  const auto* limit = args.size() == 3 ? args[2].As<int64_t>() : nullptr;
  if (args.size() == 3 && limit == nullptr) return Value::NoOverload();
  const auto regex = CompileRegex(*Text(args[1]));
  if (regex == nullptr) return BadRegex(*Text(args[1]));
  const size_t most = limit == nullptr || *limit < 0 ? SIZE_MAX : static_cast<size_t>(*limit);
  std::vector<Value> found;
  const re2::StringPiece text(*Text(args[0]));
  re2::StringPiece match;
  size_t from = 0;
  size_t last_end = SIZE_MAX;
  while (from <= text.size() && found.size() < most &&
         regex->Match(text, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    const auto start = static_cast<size_t>(match.data() - text.data());
    const size_t end = start + match.size();
    // Nothing, right behind a match, is no match of its own.
    if (!match.empty() || start != last_end) {
      found.emplace_back(std::string(match.data(), match.size()));
    }
    last_end = end;
    from = match.empty() ? end + 1 : end;
  }
  return Value::MakeList(std::move(found));
}

Value CharAt(Arguments args, Budget&) {
  const auto* index = args[1].As<int64_t>();
  if (Text(args[0]) == nullptr || index == nullptr) return Value::NoOverload();
  const auto points = CodePoints(*Text(args[0]));
  if (*index < 0 || static_cast<size_t>(*index) > points.size()) return OutOfRange(*index);
  return static_cast<size_t>(*index) == points.size() ? Value("")
                                                      : Value(points[static_cast<size_t>(*index)]);
}

Value Substring(Arguments args, Budget& budget) {
  const auto* text = Text(args[0]);
  const auto* start = args[1].As<int64_t>();
  if (text == nullptr || start == nullptr) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
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
    size_t steps = 0;
    for (size_t i = 0; i < list->size(); ++i) {
      if (Equal(list->At(i), args[1], steps)) return static_cast<int64_t>(i);
    }
    return budget.Spend(steps) ? Value(-1) : Value::MakeError("cost limit exceeded");
  }
  if (!AreTexts(args.first(2))) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
  const std::string& text = *Text(args[0]);
  size_t from = 0;
  if (args.size() == 3) {
    const auto* offset = args[2].As<int64_t>();
    if (offset == nullptr) return Value::NoOverload();
    from = *offset < 0 ? std::string::npos : ByteOfCodePoint(text, static_cast<size_t>(*offset));
    if (from == std::string::npos) return OutOfRange(*offset);
  }
  const size_t found = text.find(*Text(args[1]), from);
  if (found == std::string::npos) return -1;
  return static_cast<int64_t>(CountCodePoints(std::string_view(text).substr(0, found)));
}

Value LastIndexOf(Arguments args, Budget& budget) {
  if (const List* list = args[0].AsList()) {
    size_t steps = 0;
    for (size_t i = list->size(); i > 0; --i) {
      if (Equal(list->At(i - 1), args[1], steps)) return static_cast<int64_t>(i - 1);
    }
    return budget.Spend(steps) ? Value(-1) : Value::MakeError("cost limit exceeded");
  }
  if (!AreTexts(args)) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
  const std::string& text = *Text(args[0]);
  const size_t found = text.rfind(*Text(args[1]));
  if (found == std::string::npos) return -1;
  return static_cast<int64_t>(CountCodePoints(std::string_view(text).substr(0, found)));
}

template <char First, char Last, int Shift>
Value ShiftCase(Arguments args, Budget& budget) {
  if (Text(args[0]) == nullptr) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
  std::string out = *Text(args[0]);
  for (char& c : out) c = c >= First && c <= Last ? static_cast<char>(c + Shift) : c;
  return out;
}

Value Trim(Arguments args, Budget& budget) {
  if (Text(args[0]) == nullptr) return Value::NoOverload();
  if (!SpendOn(args, budget)) return Value::MakeError("cost limit exceeded");
  const std::string& text = *Text(args[0]);
  static constexpr std::string_view kBlank = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

Value Replace(Arguments args, Budget& budget) {
  if (!AreTexts(args.first(3))) return Value::NoOverload();
  const auto* limit = args.size() == 4 ? args[3].As<int64_t>() : nullptr;
  if (args.size() == 4 && limit == nullptr) return Value::NoOverload();
  int64_t left = limit == nullptr || *limit < 0 ? INT64_MAX : *limit;
  const std::string& text = *Text(args[0]);
  const std::string& from = *Text(args[1]);
  const std::string& to = *Text(args[2]);
  std::string out;
  size_t at = 0;
  while (left > 0) {
    // An empty pattern matches between all code points.
    const size_t found = from.empty() ? at : text.find(from, at);
    if (found == std::string::npos) break;
    out.append(text, at, found - at).append(to);
    at = found + from.size();
    --left;
    if (from.empty()) {
      if (at >= text.size()) break;
      const size_t next = at + CodePoints(std::string_view(text).substr(at, 4))[0].size();
      out.append(text, at, next - at);
      at = next;
    }
    if (!budget.Spend(to.size() / 10 + 1)) return Value::MakeError("cost limit exceeded");
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
  if (!budget.Spend(text.size())) return Value::MakeError("cost limit exceeded");
  std::vector<Value> parts;
  const bool nothing = (limit != nullptr && *limit == 0) || (text.empty() && by.empty());
  if (nothing) return Value::MakeList(std::move(parts));
  const size_t most = limit == nullptr || *limit < 0 ? SIZE_MAX : static_cast<size_t>(*limit);
  size_t at = 0;
  while (parts.size() + 1 < most) {
    const size_t found =
        by.empty() ? ByteOfCodePoint(std::string_view(text).substr(at), 1) : text.find(by, at);
    if (found == std::string::npos || (by.empty() && at + found >= text.size())) break;
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
    if (!budget.Spend(Text(item)->size() / 10 + 1)) return Value::MakeError("cost limit exceeded");
    if (i > 0 && by != nullptr) out += *by;
    out += *Text(item);
  }
  return out;
}

constexpr Function kFunctions[] = {
    {"contains", true, 2, TextPredicate<Contains>},
    {"startsWith", true, 2, TextPredicate<StartsWith>},
    {"endsWith", true, 2, TextPredicate<EndsWith>},
    {"matches", true, 2, Matches},
    {"matches", false, 2, Matches},
    {"find", true, 2, Find},
    {"findAll", true, 2, FindAll},
    {"findAll", true, 3, FindAll},
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
