#include "cel/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "cel/ast.h"
#include "cel/compiler.h"
#include "cel/evaluator.h"
#include "cel/parser.h"

namespace coppice::cel {

base::Result<Program> Program::Compile(std::string_view source,
                                       const std::vector<std::string>& variables) {
  COPPICE_ASSIGN(NodePtr root, ParseExpression(source));
  Compiler compiler(source, variables);
  COPPICE_TRY(compiler.Resolve(*root));
  Program program;
  program.source_ = source;
  program.variables_ = variables;
  program.used_ = compiler.used();
  program.slots_ = compiler.slots();
  program.root_ = std::move(root);
  return program;
}

base::Result<Value> Program::Evaluate(std::span<const Value> values) const {
  size_t budget = kCallLimit;
  return EvaluateWithin(values, budget);
}

base::Result<Value> Program::EvaluateWithin(std::span<const Value> values, size_t& budget) const {
  if (values.size() != variables_.size()) {
    return base::Internal(
        fmt::format("expression takes {} variables, not {}", variables_.size(), values.size()));
  }
  const size_t most = std::min(budget, kCallLimit);
  Budget steps(most);
  Value value = Evaluator(values, slots_, steps).Evaluate(*root_);
  budget -= most - steps.left();
  if (steps.exhausted()) {
    return base::Error(base::ErrorCode::kTooManyRequests,
                       "operation cancelled: actual cost limit exceeded");
  }
  if (value.IsError()) {
    return base::Error(base::ErrorCode::kInvalid, std::string(value.ErrorMessage()));
  }
  return value;
}

bool Program::Uses(std::string_view variable) const {
  return std::ranges::find(used_, variable) != used_.end();
}

}  // namespace coppice::cel
