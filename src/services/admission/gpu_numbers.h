#pragma once

#include <string_view>

namespace coppice::services::admission {

// Only digits, above zero, and at most what the scheduler and the binder can parse.
bool IsPositiveInteger(std::string_view text);

// A number between zero and one that is also a Kubernetes quantity: "0.5", "5e-1", but neither NaN
// nor a hexadecimal float, which KAI accepts as numbers but are not quantities.
enum class Fraction { kGood, kOutOfRange, kNoQuantity };
Fraction ReadFraction(std::string_view text);

}  // namespace coppice::services::admission
