#pragma once

#include <vector>

#include "json/value.h"

namespace coppice::json {

// The object with these members set, or without those that are null; both in one pass, however many
// there are. `changes` are sorted by key, no key twice. Shares the object where nothing changes.
Value WithChanges(const Value& object, const std::vector<Member>& changes);

}  // namespace coppice::json
