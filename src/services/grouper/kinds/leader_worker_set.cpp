#include <fmt/format.h>

#include <algorithm>

#include "api/foreign/names.h"
#include "api/key/leaderworkerset.h"
#include "api/view/core.h"
#include "api/view/leaderworkerset.h"
#include "services/common/names.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/segments.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

namespace coppice::services::grouper {
namespace {

constexpr std::string_view kGroupIndex = api::foreign::kLeaderWorkerSetGroupIndex;
constexpr std::string_view kWorkerIndex = api::foreign::kLeaderWorkerSetWorkerIndex;
constexpr std::string_view kSizeAnnotation = api::foreign::kLeaderWorkerSetSize;

// One group of a LeaderWorkerSet: worker 0 is the leader.
struct Shape {
  view::leaderworkerset::LeaderWorkerSet set;
  view::core::Pod pod;
  std::optional<int64_t> index;  // Of the pod; none when it is not labelled.
  int64_t size = 0;
  int64_t minimum = 0;
  int64_t segment_size = 0;  // 0: not cut into segments.

  view::leaderworkerset::LeaderWorkerTemplate Template() const {
    return set.spec().leaderWorkerTemplate();
  }
  TextMap WorkerAnnotations() const { return Template().workerTemplate().metadata().annotations(); }
  bool IsLeader() const { return index == 0; }
  // The workers without the leader fill whole segments, so the leader joins the first one.
  bool LeaderIsExtra() const { return (minimum - 1) % segment_size == 0; }
  int64_t SegmentOf(int64_t worker) const {
    if (worker == 0) return 0;
    return (LeaderIsExtra() ? worker - 1 : worker) / segment_size;
  }
  int64_t SegmentCount() const { return SegmentOf(minimum - 1) + 1; }
  // Workers of a segment, the leader not counted.
  int64_t WorkersIn(int64_t segment) const {
    const int64_t first =
        LeaderIsExtra() ? segment * segment_size + 1 : std::max<int64_t>(1, segment * segment_size);
    const int64_t end = (LeaderIsExtra() ? 1 : 0) + (segment + 1) * segment_size;
    return std::min(end, minimum) - first;
  }
};

base::Result<std::optional<int64_t>> PodIndex(view::core::Pod pod) {
  const auto label = FindText(pod.metadata().labels(), kWorkerIndex);
  if (!label) return std::optional<int64_t>();
  const std::optional<int64_t> index = ParseInt(*label);
  if (!index || *index < 0) return BadValue(kWorkerIndex, *label, "a worker index");
  return index;
}

base::Result<int64_t> GroupSize(const Shape& shape) {
  COPPICE_ASSIGN(
      const int64_t size,
      RequireInt(shape.Template().Json()[key::leaderworkerset::LeaderWorkerTemplate::size],
                 "spec.leaderWorkerTemplate.size"));
  if (size <= 0) return base::InvalidArgument("spec.leaderWorkerTemplate.size is not positive");
  return size;
}

base::Result<int64_t> Minimum(const Shape& shape) {
  const std::string_view policy = shape.set.spec().startupPolicy();
  if (!shape.set.spec().has_startupPolicy() || policy == "LeaderCreated") return shape.size;
  if (policy != "LeaderReady") return BadValue("spec.startupPolicy", policy, "a known policy");
  if (shape.IsLeader() && shape.pod.spec().nodeName().empty()) return 1;
  return ParseInt(shape.pod.metadata().annotations()[kSizeAnnotation]).value_or(shape.size);
}

base::Result<std::optional<int64_t>> SegmentSize(const Shape& shape) {
  const json::Value& policy =
      shape.Template().subGroupPolicy().Json()[key::leaderworkerset::SubGroupPolicy::subGroupSize];
  if (!policy.IsNull()) {
    COPPICE_ASSIGN(const int64_t size, RequireInt(policy, "subGroupPolicy.subGroupSize"));
    return std::optional(size);
  }
  auto text = FindText(shape.set.metadata().annotations(), names::kSegmentSize);
  if (!text) text = FindText(shape.WorkerAnnotations(), names::kSegmentSize);
  if (!text) return std::optional<int64_t>();
  const std::optional<int64_t> size = ParseInt(*text);
  if (!size) return BadValue(names::kSegmentSize, *text, "a size");
  return size;
}

base::Status CheckSegmentSize(int64_t size, int64_t minimum) {
  if (size > 1 && size <= minimum) return {};
  return base::InvalidArgument(
      fmt::format("a segment of {} pods must have more than 1 and at most {}", size, minimum));
}

void AddFlat(const Shape& shape, Metadata& metadata) {
  metadata.sub_groups.push_back({.name = "leader", .min_available = 1});
  if (shape.minimum > 1) {
    metadata.sub_groups.push_back({.name = "workers", .min_available = shape.minimum - 1});
  }
}

std::optional<TopologyConstraint> SegmentTopology(const Shape& shape) {
  if (!shape.Template().workerTemplate()) return std::nullopt;
  const TextMap own = shape.pod.metadata().annotations();
  const TextMap worker = shape.WorkerAnnotations();
  return SegmentConstraint({own, worker, shape.set.metadata().annotations()}, {own, worker});
}

void AddSegments(const Shape& shape, Metadata& metadata) {
  const std::optional<TopologyConstraint> topology = SegmentTopology(shape);
  for (int64_t i = 0; i < shape.SegmentCount(); ++i) {
    metadata.sub_groups.push_back({.name = fmt::format("segment-{}", i),
                                   .min_available = shape.WorkersIn(i),
                                   .topology = topology});
  }
}

// The leader is a separate sub-group in the first segment.
void AddSegmentsWithLeader(const Shape& shape, Metadata& metadata) {
  AddSegments(shape, metadata);
  SubGroup& first = metadata.sub_groups.front();
  first.min_sub_group = 2;
  first.min_available = 0;
  metadata.sub_groups.push_back({.name = "leader", .parent = "segment-0", .min_available = 1});
  metadata.sub_groups.push_back(
      {.name = "workers", .parent = "segment-0", .min_available = shape.WorkersIn(0)});
}

base::Status AddSegmentsWithoutLeader(const Shape& shape, Metadata& metadata) {
  if (!shape.LeaderIsExtra()) {
    return base::InvalidArgument("with policy LeaderExcluded the workers must fill whole segments");
  }
  metadata.sub_groups.push_back({.name = "leader", .min_available = 1});
  AddSegments(shape, metadata);
  return {};
}

base::Status AddSubGroups(const Shape& shape, Metadata& metadata) {
  if (shape.segment_size == 0) {
    AddFlat(shape, metadata);
    return {};
  }
  COPPICE_TRY(CheckSegmentCount(shape.SegmentCount()));
  if (!shape.index) return BadValue(kWorkerIndex, "", "a worker index");
  const std::string_view policy = shape.Template().subGroupPolicy().subGroupPolicyType();
  if (policy == "LeaderExcluded") return AddSegmentsWithoutLeader(shape, metadata);
  AddSegmentsWithLeader(shape, metadata);
  return {};
}

std::string SubGroupOfPod(const Shape& shape, const Metadata& metadata) {
  if (shape.IsLeader()) return "leader";
  if (shape.segment_size == 0) return "workers";
  const int64_t segment = shape.SegmentOf(*shape.index);
  const bool first_is_parent = metadata.sub_groups.front().min_sub_group.has_value();
  return first_is_parent && segment == 0 ? "workers" : fmt::format("segment-{}", segment);
}

base::Result<Shape> ReadShape(const Workload& workload) {
  Shape shape{view::leaderworkerset::LeaderWorkerSet(workload.top_owner),
              view::core::Pod(workload.pod)};
  COPPICE_ASSIGN(shape.size, GroupSize(shape));
  COPPICE_ASSIGN(shape.index, PodIndex(shape.pod));
  COPPICE_ASSIGN(shape.minimum, Minimum(shape));
  COPPICE_ASSIGN(const std::optional<int64_t> segment_size, SegmentSize(shape));
  // Until the leader runs the group is the leader alone: there is nothing to cut into segments.
  if (!segment_size || shape.minimum == 1) return shape;
  COPPICE_TRY(CheckSegmentSize(*segment_size, shape.minimum));
  shape.segment_size = *segment_size;
  return shape;
}

}  // namespace

base::Result<Metadata> GroupLeaderWorkerSet(const Context& context, const Workload& workload) {
  COPPICE_ASSIGN(const Shape shape, ReadShape(workload));
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, workload.pod));
  if (const auto group = ParseInt(shape.pod.metadata().labels()[kGroupIndex])) {
    metadata.name += fmt::format("-group-{}", *group);
  }
  metadata.min_available = shape.minimum;
  COPPICE_TRY(AddSubGroups(shape, metadata));
  if (SubGroup* own = metadata.FindSubGroup(SubGroupOfPod(shape, metadata))) {
    own->pods.emplace_back(shape.pod.metadata().name());
  }
  return metadata;
}

}  // namespace coppice::services::grouper
