#pragma once

#include <string_view>
#include <vector>

#include "backends/compatibility/policy.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::operators::podclique {

// Sorts pods for deletion, first to delete first: without a node, Pending before Unknown before
// Running, not ready, of another template than `expected_hash`, newest.
void SortForDeletion(std::vector<json::Value>& pods, std::string_view expected_hash,
                     backends::DeletionTieBreak tie_break);

// The `count` smallest indices that no active pod uses. Fails if two active pods have the same
// index, or one has none.
base::Result<std::vector<int>> FreeIndices(const std::vector<json::Value>& pods, size_t count);

}  // namespace coppice::operators::podclique
