#pragma once

#include <string_view>

namespace coppice::services::admission {

// Digits alone, above zero, and no more than the scheduler and the binder can read.
bool IsPositiveInteger(std::string_view text);

// A number between zero and one that is also a Kubernetes quantity: "0.5", "5e-1", but neither NaN
// nor a hexadecimal float, which are numbers to KAI but no quantities.
enum class Fraction { kGood, kOutOfRange, kNoQuantity };
Fraction ReadFraction(std::string_view text);

}  // namespace coppice::services::admission
