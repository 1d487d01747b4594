#pragma once

#include <initializer_list>
#include <optional>

#include "base/result.h"
#include "json/value.h"
#include "services/grouper/metadata.h"

// Blocks of consecutive workers that are placed together, for PyTorch jobs and LeaderWorkerSets.
namespace coppice::services::grouper {

inline constexpr int64_t kMaxSegments = 10000;

base::Status CheckSegmentCount(int64_t count);

// The topology name comes from the first of `topology_from` that has it, each level from the first
// of `levels_from`. Nothing unless there is a topology and a level.
std::optional<TopologyConstraint> SegmentConstraint(
    std::initializer_list<const json::Value*> topology_from,
    std::initializer_list<const json::Value*> levels_from);

}  // namespace coppice::services::grouper
