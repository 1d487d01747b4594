#pragma once

#include <initializer_list>
#include <optional>

#include "api/view/view.h"
#include "base/result.h"
#include "services/grouper/groups/metadata.h"

// Blocks of consecutive workers that are placed together, for PyTorch jobs and LeaderWorkerSets.
namespace coppice::services::grouper {

inline constexpr int64_t kMaxSegments = 10000;

base::Status CheckSegmentCount(int64_t count);

// The topology name comes from the first of `topology_from` that has it, each level from the first
// of `levels_from`. nullopt unless there is a topology and a level.
std::optional<TopologyConstraint> SegmentConstraint(
    std::initializer_list<view::Map<std::string_view>> topology_from,
    std::initializer_list<view::Map<std::string_view>> levels_from);

}  // namespace coppice::services::grouper
