#include "services/grouper/segments.h"

#include <fmt/format.h>

#include "services/names.h"

namespace coppice::services::grouper {
namespace {

std::string FirstOf(std::initializer_list<const json::Value*> annotations, std::string_view key) {
  for (const json::Value* map : annotations) {
    const std::string_view value = (*map)[key].AsString();
    if (!value.empty()) return std::string(value);
  }
  return "";
}

}  // namespace

base::Status CheckSegmentCount(int64_t count) {
  if (count <= kMaxSegments) return {};
  return base::InvalidArgument(fmt::format("{} asks for {} segments, more than {}",
                                           names::kSegmentSize, count, kMaxSegments));
}

std::optional<TopologyConstraint> SegmentConstraint(
    std::initializer_list<const json::Value*> topology_from,
    std::initializer_list<const json::Value*> levels_from) {
  TopologyConstraint constraint{FirstOf(topology_from, names::kTopology),
                                FirstOf(levels_from, names::kSegmentRequired),
                                FirstOf(levels_from, names::kSegmentPreferred)};
  if (constraint.topology.empty() || !constraint.HasLevel()) return std::nullopt;
  return constraint;
}

}  // namespace coppice::services::grouper
