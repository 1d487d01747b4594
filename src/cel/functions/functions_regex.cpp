#include <re2/re2.h>

#include "cel/values/function.h"
#include "cel/values/regex.h"

namespace coppice::cel {
namespace {

using RegexPtr = std::shared_ptr<const re2::RE2>;

// The pattern, which is only known now, once it is paid for; otherwise sets `problem`.
RegexPtr PaidRegex(const std::string& text, const std::string& pattern, Budget& budget,
                   Value& problem) {
  problem = CostLimit();
  if (!SpendOnRegex(text.size(), pattern.size(), budget)) return nullptr;
  const base::Result<RegexPtr> regex = CompileRegex(pattern);
  if (!regex) problem = Value::MakeError("error parsing regexp: `" + pattern + "`");
  if (regex.Is(base::ErrorCode::kTooManyRequests) && !budget.Spend(kRefusedPatternCost)) {
    problem = CostLimit();
  }
  return regex && SpendOnProgram(text.size(), **regex, budget) ? *regex : nullptr;
}

Value Matches(Arguments args, Budget& budget) {
  const auto *text = args[0].As<std::string>(), *pattern = args[1].As<std::string>();
  if (text == nullptr || pattern == nullptr) return Value::NoOverload();
  Value problem;
  const RegexPtr regex = PaidRegex(*text, *pattern, budget, problem);
  return regex == nullptr ? problem : Value(re2::RE2::PartialMatch(*text, *regex));
}

Value FindFirst(Arguments args, Budget& budget) {
  const auto *text = args[0].As<std::string>(), *pattern = args[1].As<std::string>();
  if (text == nullptr || pattern == nullptr) return Value::NoOverload();
  Value problem;
  const RegexPtr regex = PaidRegex(*text, *pattern, budget, problem);
  if (regex == nullptr) return problem;
  re2::StringPiece match;
  if (!regex->Match(*text, 0, text->size(), re2::RE2::UNANCHORED, &match, 1)) return "";
  return std::string(match.data(), match.size());
}

// Each match may scan all of the remaining text.
Value CollectMatches(const std::string& all, const re2::RE2& regex, size_t most, Budget& budget) {
  std::vector<Value> found;
  const re2::StringPiece text(all);
  re2::StringPiece match;
  size_t from = 0;
  size_t last_end = SIZE_MAX;
  while (from <= text.size() && found.size() < most &&
         regex.Match(text, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    if (!budget.SpendBytes(text.size() - from)) return CostLimit();
    const auto start = static_cast<size_t>(match.data() - text.data());
    const size_t end = start + match.size();
    // An empty match right after a match does not count.
    if (!match.empty() || start != last_end) {
      found.emplace_back(std::string(match.data(), match.size()));
    }
    last_end = end;
    from = match.empty() ? end + 1 : end;
  }
  return Value::MakeList(std::move(found));
}

Value FindAll(Arguments args, Budget& budget) {
  const auto *text = args[0].As<std::string>(), *pattern = args[1].As<std::string>();
  const auto* limit = args.size() == 3 ? args[2].As<int64_t>() : nullptr;
  const bool fits = text != nullptr && pattern != nullptr && (args.size() < 3 || limit != nullptr);
  if (!fits) return Value::NoOverload();
  Value problem;
  const RegexPtr regex = PaidRegex(*text, *pattern, budget, problem);
  if (regex == nullptr) return problem;
  const size_t most = limit == nullptr || *limit < 0 ? SIZE_MAX : static_cast<size_t>(*limit);
  return CollectMatches(*text, *regex, most, budget);
}

constexpr Function kFunctions[] = {
    {"matches", true, 2, Matches}, {"matches", false, 2, Matches}, {"find", true, 2, FindFirst},
    {"findAll", true, 2, FindAll}, {"findAll", true, 3, FindAll},
};

}  // namespace

std::span<const Function> RegexFunctions() { return kFunctions; }

}  // namespace coppice::cel
