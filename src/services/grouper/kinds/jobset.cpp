#include "api/key/jobset.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/foreign/names.h"
#include "api/key/batch.h"
#include "api/view/jobset.h"
#include "api/view/kai.h"
#include "base/log.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/segments.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

namespace coppice::services::grouper {
namespace {

using view::jobset::JobSet;
using view::jobset::ReplicatedJob;

constexpr std::string_view kReplicatedJobLabel = api::foreign::kJobSetReplicatedJob;
constexpr std::string_view kJobIndexLabel = api::foreign::kJobSetJobIndex;

bool IsInOrder(JobSet job_set) {
  return job_set.spec().startupPolicy().startupPolicyOrder() == "InOrder";
}

base::Status Validate(JobSet job_set) {
  if (job_set.metadata().name().empty() || job_set.metadata().uid().empty()) {
    return base::InvalidArgument("the JobSet has no name or no uid");
  }
  if (job_set.spec().replicatedJobs().empty()) {
    return base::InvalidArgument("spec.replicatedJobs is empty");
  }
  for (const ReplicatedJob job : job_set.spec().replicatedJobs()) {
    if (job.name().empty()) {
      return base::InvalidArgument("spec.replicatedJobs has an entry without a name");
    }
  }
  return {};
}

base::Result<int64_t> ReadMinimum(std::string_view text, int64_t least) {
  const std::optional<int64_t> minimum = ParseInt(text);
  if (minimum && *minimum >= least && *minimum == static_cast<int32_t>(*minimum)) return *minimum;
  return BadValue(names::kBatchMinMember, text, fmt::format("an integer of at least {}", least));
}

// What the set itself says.
base::Result<std::optional<int64_t>> SetMinimum(JobSet job_set, int64_t least) {
  const auto text = FindText(job_set.metadata().annotations(), names::kBatchMinMember);
  if (!text) return std::optional<int64_t>();
  COPPICE_ASSIGN(const int64_t minimum, ReadMinimum(*text, least));
  return std::optional(minimum);
}

base::Error LacksLabel(std::string_view label) {
  return base::InvalidArgument(fmt::format("the pod lacks the label {}", label));
}

// Earlier releases made groups without sub-groups; a set that has one keeps it.
base::Result<bool> HasLegacyGroup(const Context& context, std::string_view ns,
                                  const std::string& name) {
  base::Result<std::vector<json::Value>> groups =
      context.lookup.List(kPodGroupVersion, "PodGroup", ns, "");
  if (!groups) return groups.error().During("looking for PodGroups of an earlier release");
  return std::any_of(groups->begin(), groups->end(), [&](const json::Value& group) {
    const std::string_view found = kube::Name(group);
    const bool matches = found == name || found.substr(0, name.size() + 1) == name + "-";
    return matches && view::kai::PodGroup(group).spec().subGroups().empty();
  });
}

base::Result<Metadata> LegacyGroup(JobSet job_set, const json::Value& pod, Metadata metadata) {
  COPPICE_ASSIGN(const std::optional<int64_t> minimum,
                 SetMinimum(job_set, std::numeric_limits<int32_t>::min()));
  metadata.min_available = minimum.value_or(1);
  const std::string_view job = kube::Label(pod, kReplicatedJobLabel);
  if (job.empty()) return LacksLabel(kReplicatedJobLabel);
  if (IsInOrder(job_set)) metadata.name += fmt::format("-{}", job);
  return metadata;
}

base::Result<int64_t> RootMinimum(JobSet job_set) {
  const int64_t jobs = static_cast<int64_t>(job_set.spec().replicatedJobs().size());
  COPPICE_ASSIGN(const std::optional<int64_t> minimum, SetMinimum(job_set, 1));
  if (minimum) return std::min(*minimum, jobs);
  return IsInOrder(job_set) ? 1 : jobs;
}

base::Result<int64_t> LeafMinimum(ReplicatedJob job) {
  COPPICE_ASSIGN(const int64_t parallelism,
                 IntOr(job.template_().spec().Json()[key::batch::JobSpec::parallelism], 1,
                       "template.spec.parallelism"));
  const std::string_view text = job.template_().metadata().annotations()[names::kBatchMinMember];
  if (text.empty()) return parallelism;
  COPPICE_ASSIGN(const int64_t minimum, ReadMinimum(text, 1));
  if (minimum > parallelism) {
    base::LogWarn("a JobSet requests more members than its job has",
                  {{"job", job.name()}, {"minimum", minimum}});
  }
  return minimum;
}

base::Status AddReplicatedJob(ReplicatedJob job, Metadata& metadata) {
  const std::string name(job.name());
  COPPICE_ASSIGN(const int64_t replicas,
                 IntOr(job.Json()[key::jobset::ReplicatedJob::replicas], 1, "replicas"));
  COPPICE_TRY(CheckSegmentCount(replicas));  // One sub-group each: as many as segments may be.
  COPPICE_ASSIGN(const int64_t minimum, LeafMinimum(job));
  const auto topology = CompleteTopology(job.template_().metadata().annotations());
  metadata.sub_groups.push_back({.name = name, .min_sub_group = replicas});
  for (int64_t i = 0; i < replicas; ++i) {
    metadata.sub_groups.push_back({.name = fmt::format("{}-replica-{}", name, i),
                                   .parent = name,
                                   .min_available = minimum,
                                   .topology = topology});
  }
  return {};
}

base::Status AssignPod(const json::Value& pod, Metadata& metadata) {
  const std::string_view job = kube::Label(pod, kReplicatedJobLabel);
  const std::string_view index = kube::Label(pod, kJobIndexLabel);
  if (job.empty()) return LacksLabel(kReplicatedJobLabel);
  if (index.empty()) return LacksLabel(kJobIndexLabel);
  SubGroup* leaf = metadata.FindSubGroup(fmt::format("{}-replica-{}", job, index));
  if (!leaf) {
    return base::InvalidArgument(fmt::format("the JobSet has no job {} with index {}", job, index));
  }
  leaf->pods.emplace_back(kube::Name(pod));
  return {};
}

}  // namespace

base::Result<Metadata> GroupJobSet(const Context& context, const Workload& workload) {
  const JobSet job_set(workload.top_owner);
  COPPICE_TRY(Validate(job_set));
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, workload.pod));
  COPPICE_ASSIGN(const bool legacy,
                 HasLegacyGroup(context, kube::Namespace(workload.pod), metadata.name));
  if (legacy) return LegacyGroup(job_set, workload.pod, std::move(metadata));
  COPPICE_ASSIGN(metadata.min_sub_group, RootMinimum(job_set));
  metadata.min_available = 0;
  for (const ReplicatedJob job : job_set.spec().replicatedJobs()) {
    COPPICE_TRY(AddReplicatedJob(job, metadata));
  }
  COPPICE_TRY(AssignPod(workload.pod, metadata));
  return metadata;
}

}  // namespace coppice::services::grouper
