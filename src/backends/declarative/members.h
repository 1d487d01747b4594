#pragma once

#include "base/result.h"
#include "json/value.h"

namespace coppice::backends::declarative {

// Refuses members of a declaration that mean nothing: a slip of the pen would otherwise leave a
// gate, a label or a whole object out without a word. Says what can be set instead.
base::Status CheckMembers(const json::Value& declaration);

}  // namespace coppice::backends::declarative
