#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cel/values/budget.h"
#include "cel/values/value.h"

namespace re2 {
class RE2;
}

// Regular expressions of rules. Their users choose texts and often patterns too.
namespace coppice::cel {

// Refuses patterns that are malformed, and with kTooManyRequests those whose program would take
// more than a MiB or so: a short pattern may repeat what it has a thousand times.
base::Result<std::shared_ptr<const re2::RE2>> CompileRegex(const std::string& pattern);
// What it costs to see that a pattern is too large.
inline constexpr size_t kRefusedPatternCost = 100'000;

// Charges for a pass over a text with a pattern of this size, as Kubernetes does: their product.
// Called before the pattern is compiled.
bool SpendOnRegex(size_t text, size_t pattern, Budget& budget);
// Charges for having compiled it, and what the program is longer than the pattern lets expect: a
// pass may take each instruction to each byte.
bool SpendOnProgram(size_t text, const re2::RE2& regex, Budget& budget);

// Whether the text has a match; charges for it.
Value MatchRegex(const std::string& text, const re2::RE2& regex, Budget& budget);

}  // namespace coppice::cel
