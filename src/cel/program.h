#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/values/value.h"

namespace coppice::cel {

struct Node;

// What Kubernetes lets one evaluation cost (about a tenth of a second), all rules of an object or
// of a policy together, and all match conditions of a webhook or policy.
inline constexpr size_t kCallLimit = 1'000'000;
inline constexpr size_t kRulesBudget = 10'000'000;
inline constexpr size_t kMatchConditionsBudget = 2'500'000;

// An expression compiled once and evaluated many times, from any thread.
//
//   COPPICE_ASSIGN(auto rule, cel::Program::Compile("self.a <= self.b", {"self"}));
//   COPPICE_ASSIGN(const cel::Value ok, rule.Evaluate({{self}}));
//
// The language is CEL as Kubernetes has it, checked while it runs rather than by types: all
// operators, macros (has, all, exists, exists_one, map, filter, cel.bind, optMap), strings, lists,
// regular expressions, timestamps and durations, quantity(), semver(), optional values. What is
// unknown at compile time (variables, functions) is an error then; everything else when evaluated.
class Program {
 public:
  static base::Result<Program> Compile(std::string_view source,
                                       const std::vector<std::string>& variables);

  // `values` in the order of the variables. kInvalid when the expression fails ("no such key: x"),
  // kTooManyRequests when it costs more than kCallLimit.
  base::Result<Value> Evaluate(std::span<const Value> values) const;
  // As one of several that share a budget: subtracts what was used. kTooManyRequests, too, when the
  // budget ends first, which is then 0.
  base::Result<Value> EvaluateWithin(std::span<const Value> values, size_t& budget) const;

  const std::string& source() const { return source_; }
  // Whether the expression mentions the variable.
  bool Uses(std::string_view variable) const;
  const Node& root() const { return *root_; }

 private:
  Program() = default;

  std::string source_;
  std::vector<std::string> variables_;
  std::vector<std::string> used_;
  std::shared_ptr<const Node> root_;
  size_t slots_ = 0;
};

}  // namespace coppice::cel
