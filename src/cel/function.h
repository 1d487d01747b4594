#pragma once

#include <span>
#include <string_view>

#include "cel/value.h"

namespace coppice::cel {

// What a function may cost beyond the step that calls it.
class Budget {
 public:
  explicit Budget(size_t steps) : left_(steps) {}
  // False when nothing is left; evaluation then ends with an error that nothing absorbs.
  bool Spend(size_t steps) {
    if (exhausted_ || steps > left_) {
      exhausted_ = true;
      return false;
    }
    left_ -= steps;
    return true;
  }
  bool exhausted() const { return exhausted_; }
  size_t left() const { return exhausted_ ? 0 : left_; }

 private:
  size_t left_;
  bool exhausted_ = false;
};

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
std::span<const Function> FormatFunctions();
std::span<const Function> ListFunctions();
std::span<const Function> TimeFunctions();
std::span<const Function> QuantityFunctions();
std::span<const Function> OptionalFunctions();
std::span<const Function> AuthorizerFunctions();

}  // namespace coppice::cel
