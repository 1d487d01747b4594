#pragma once

#include <span>
#include <vector>

#include "cel/ast.h"
#include "cel/values/function.h"
#include "cel/values/value.h"

namespace coppice::cel {

// Walks a compiled expression once. Not thread-safe; the tree it walks is shared.
class Evaluator {
 public:
  Evaluator(std::span<const Value> variables, size_t slots, Budget& budget);

  Value Evaluate(const Node& node);

 private:
  Value EvaluateKind(const Node& node);
  Value Select(const Node& node);
  Value Has(const Node& node);
  Value Index(const Node& node);
  Value Call(const Node& node);
  Value Logical(const Node& node, bool decides);
  Value Conditional(const Node& node);
  Value MakeList(const Node& node);
  Value MakeMap(const Node& node);
  Value Quantify(const Node& node);
  Value CountExactlyOne(const Node& node);
  Value Collect(const Node& node);
  Value TransformMap(const Node& node);
  Value Bind(const Node& node);
  Value OptionalMap(const Node& node);

  // Calls `visit` with each element of a list, or key of a map, in the comprehension's slots. Stops
  // when it returns false. An error value when the range cannot be walked.
  template <typename Visit>
  Value ForEach(const Node& node, Visit visit);

  std::vector<Value> frame_;
  Budget& budget_;
};

}  // namespace coppice::cel
