#include "cel/values/regex.h"

#include <re2/re2.h>

#include "cel/values/function.h"

namespace coppice::cel {
namespace {

constexpr int64_t kProgramMemory = 2 << 20;

// One byte more, so that the pattern counts even for an empty text.
size_t TextCost(size_t text) { return TraversalCost(text + 1); }

// An expression of a pattern has four characters or more, by a guess of Kubernetes'.
size_t PatternCost(size_t pattern) { return (pattern + 3) / 4; }

size_t ProgramCost(const re2::RE2& regex) {
  return regex.ProgramSize() < 0 ? 0 : static_cast<size_t>(regex.ProgramSize()) / 4;
}

}  // namespace

base::Result<std::shared_ptr<const re2::RE2>> CompileRegex(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kProgramMemory);
  auto regex = std::make_shared<const re2::RE2>(pattern, options);
  if (regex->error_code() == re2::RE2::ErrorPatternTooLarge) {
    return base::Error(base::ErrorCode::kTooManyRequests, regex->error());
  }
  if (!regex->ok()) return base::InvalidArgument(regex->error());
  return regex;
}

bool SpendOnRegex(size_t text, size_t pattern, Budget& budget) {
  return budget.Spend(TextCost(text) * PatternCost(pattern));
}

bool SpendOnProgram(size_t text, const re2::RE2& regex, Budget& budget) {
  const size_t known = PatternCost(regex.pattern().size());
  const size_t whole = ProgramCost(regex);
  return whole <= known || budget.Spend(4 * whole + TextCost(text) * (whole - known));
}

Value MatchRegex(const std::string& text, const re2::RE2& regex, Budget& budget) {
  const bool paid = SpendOnRegex(text.size(), regex.pattern().size(), budget) &&
                    SpendOnProgram(text.size(), regex, budget);
  return paid ? Value(re2::RE2::PartialMatch(text, regex)) : CostLimit();
}

}  // namespace coppice::cel
