#pragma once

#include "json/value.h"

namespace coppice::operators {

// The JSON merge patch that turns `from` into `to`; an empty object when they are equal. Lists are
// replaced as a whole.
json::Value MergeDiff(const json::Value& from, const json::Value& to);

}  // namespace coppice::operators
