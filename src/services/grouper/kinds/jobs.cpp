#include <fmt/format.h>

#include "api/view/runai.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

// Job, CronJob and RunaiJob, with the group names that earlier releases gave them.
namespace coppice::services::grouper {
namespace {

base::Result<bool> PodGroupExists(const Context& context, std::string_view ns,
                                  std::string_view name) {
  const base::Result<json::Value> found =
      context.lookup.Get(kPodGroupVersion, "PodGroup", ns, name);
  if (found) return true;
  if (found.Is(base::ErrorCode::kNotFound)) return false;
  return found.error().During("looking for a PodGroup of an earlier release");
}

base::Result<bool> UsesLegacyName(const Context& context, const json::Value& pod,
                                  std::string_view legacy_name) {
  if (!context.options.search_legacy_groups) return false;
  return PodGroupExists(context, kube::Namespace(pod), legacy_name);
}

base::Result<int64_t> JobMinimum(const json::Value& job) {
  const auto annotation = FindAnnotation(job, names::kBatchMinMember);
  if (!annotation) return 1;
  const auto invalid = [&](std::string_view why) {
    return base::InvalidArgument(
        fmt::format("invalid min-member annotation value: strconv.ParseInt: parsing \"{}\": {}",
                    *annotation, why));
  };
  const std::optional<int64_t> minimum = ParseInt(*annotation);
  if (!minimum) return invalid("invalid syntax");
  if (*minimum != static_cast<int32_t>(*minimum)) return invalid("value out of range");
  return *minimum;
}

std::optional<std::string_view> OwningJob(const json::Value& pod) {
  for (const view::meta::OwnerReference owner : Object(pod).metadata().ownerReferences()) {
    if (owner.kind() == "Job") return owner.name();
  }
  return std::nullopt;
}

std::string_view UpToLastDash(std::string_view name) {
  const size_t dash = name.rfind('-');
  return dash == std::string_view::npos ? name : name.substr(0, dash);
}

}  // namespace

base::Result<Metadata> GroupJob(const Context& context, const Workload& workload) {
  const json::Value& job = workload.top_owner;
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, job, workload.pod));
  const std::string legacy = fmt::format("pg-{}-{}", kube::Name(workload.pod), kube::Uid(job));
  COPPICE_ASSIGN(const bool exists, UsesLegacyName(context, workload.pod, legacy));
  if (exists && legacy != metadata.name) {
    metadata.name = legacy;
    return metadata;
  }
  COPPICE_ASSIGN(metadata.min_available, JobMinimum(job));
  return metadata;
}

// Each run is its own group: its Job decides.
base::Result<Metadata> GroupCronJob(const Context& context, const Workload& workload) {
  const auto job = OwningJob(workload.pod);
  if (!job) return base::InvalidArgument("no owner reference of type 'Job'");
  COPPICE_ASSIGN(const json::Value owner,
                 context.lookup.Get("batch/v1", "Job", kube::Namespace(workload.pod), *job));
  return GroupByTopOwner(context, owner, workload.pod);
}

base::Result<Metadata> GroupRunaiJob(const Context& context, const Workload& workload) {
  const json::Value& owner = workload.top_owner;
  const std::string_view pod = kube::Name(workload.pod);
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, owner, workload.pod));
  const bool parallel = view::runai::RunaiJob(owner).spec().parallelism() > 1;
  const std::string legacy =
      fmt::format("pg-{}-{}", parallel ? pod : kube::Name(owner), kube::Uid(owner));
  COPPICE_ASSIGN(const bool is_legacy, UsesLegacyName(context, workload.pod, legacy));
  metadata.name = is_legacy ? legacy : fmt::format("pg-{}-{}", UpToLastDash(pod), kube::Uid(owner));
  return metadata;
}

}  // namespace coppice::services::grouper
