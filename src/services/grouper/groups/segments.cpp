#include "services/grouper/groups/segments.h"

#include <fmt/format.h>

#include "services/common/names.h"

namespace coppice::services::grouper {
namespace {

using AnnotationMaps = std::initializer_list<view::Map<std::string_view>>;

std::string FirstOf(AnnotationMaps annotations, std::string_view key) {
  for (const view::Map<std::string_view> map : annotations) {
    if (const std::string_view value = map[key]; !value.empty()) return std::string(value);
  }
  return "";
}

}  // namespace

base::Status CheckSegmentCount(int64_t count) {
  if (count <= kMaxSegments) return {};
  return base::InvalidArgument(fmt::format("{} asks for {} segments, more than {}",
                                           names::kSegmentSize, count, kMaxSegments));
}

std::optional<TopologyConstraint> SegmentConstraint(AnnotationMaps topology_from,
                                                    AnnotationMaps levels_from) {
  TopologyConstraint constraint{FirstOf(topology_from, names::kTopology),
                                FirstOf(levels_from, names::kSegmentRequired),
                                FirstOf(levels_from, names::kSegmentPreferred)};
  if (constraint.topology.empty() || !constraint.HasLevel()) return std::nullopt;
  return constraint;
}

}  // namespace coppice::services::grouper
