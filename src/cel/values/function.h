#pragma once

#include <span>
#include <string_view>

#include "cel/values/budget.h"
#include "cel/values/value.h"

namespace coppice::cel {

// What a function returns once its budget is spent.
inline Value CostLimit() { return Value::MakeError("cost limit exceeded"); }

using Arguments = std::span<const Value>;

// One function of the language. Member functions get their target as the first argument. Arguments
// are never errors; a combination of types that the function does not take is NoOverload.
struct Function {
  std::string_view name;
  bool member = false;
  size_t arguments = 0;  // Including the target.
  Value (*call)(Arguments arguments, Budget& budget) = nullptr;
};

// Null when there is no such function.
const Function* FindFunction(std::string_view name, bool member, size_t arguments);

// The library, by topic.
std::span<const Function> OperatorFunctions();
std::span<const Function> ConversionFunctions();
std::span<const Function> StringFunctions();
std::span<const Function> RegexFunctions();
std::span<const Function> FormatFunctions();
std::span<const Function> ListFunctions();
std::span<const Function> TimeFunctions();
std::span<const Function> QuantityFunctions();
std::span<const Function> OptionalFunctions();
std::span<const Function> AuthorizerFunctions();

}  // namespace coppice::cel
