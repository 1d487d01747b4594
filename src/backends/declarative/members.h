#pragma once

#include "base/result.h"
#include "json/value.h"

namespace coppice::backends::declarative {

// Rejects unknown members of a declaration and lists the valid ones. Otherwise a typo would
// silently drop a gate, a label or a whole object.
base::Status CheckMembers(const json::Value& declaration);

}  // namespace coppice::backends::declarative
