#pragma once

#include <string_view>
#include <vector>

#include "backends/compatibility/policy.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::operators::podclique {

// Orders pods for removal, the first to go first: without a node, Pending before Unknown before
// Running, not ready, of another template than `expected_hash`, newest.
void SortForDeletion(std::vector<json::Value>& pods, std::string_view expected_hash,
                     backends::DeletionTieBreak tie_break);

// The `count` smallest indices that no active pod uses. Fails when two active pods have the same
// index, or one has none.
base::Result<std::vector<int>> FreeIndices(const std::vector<json::Value>& pods, size_t count);

}  // namespace coppice::operators::podclique
