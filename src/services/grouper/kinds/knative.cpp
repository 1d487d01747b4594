#include <fmt/format.h>

#include <set>

#include "api/foreign/names.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

namespace coppice::services::grouper {
namespace {

constexpr std::string_view kRevisionLabel = api::foreign::kKnativeRevision;
constexpr std::string_view kMinScale = api::foreign::kKnativeMinScale;
constexpr std::string_view kFallbackClass = "inference";

base::Result<json::Value> RevisionOf(const Context& context, const Workload& workload) {
  const std::string_view name = kube::Label(workload.pod, kRevisionLabel);
  if (name.empty()) {
    return base::InvalidArgument(fmt::format("the pod lacks the label {}", kRevisionLabel));
  }
  return context.lookup.Get("serving.knative.dev/v1", "Revision", kube::Namespace(workload.pod),
                            name);
}

// Whether the one group that a revision's pods are in belongs to a pod.
base::Result<bool> GroupIsOfOnePod(const Context& context, std::string_view ns,
                                   const std::string& name) {
  const base::Result<json::Value> group =
      context.lookup.Get(kPodGroupVersion, "PodGroup", ns, name);
  if (group.Is(base::ErrorCode::kNotFound)) return false;
  if (!group) return group.error().During("reading the PodGroup of a revision's pod");
  const std::string_view owner = Object(*group).metadata().ownerReferences().At(0).kind();
  if (owner == "Revision") return false;
  if (owner == "Pod") return true;
  return base::InvalidArgument(
      fmt::format("PodGroup {} belongs neither to a Revision nor to a Pod", name));
}

// A revision whose pods were grouped one by one stays that way until it is gone.
base::Result<bool> IsGroupedPerPod(const Context& context, const json::Value& pod) {
  const std::string_view ns = kube::Namespace(pod);
  COPPICE_ASSIGN(
      const std::vector<json::Value> pods,
      context.lookup.List("v1", "Pod", ns,
                          fmt::format("{}={}", kRevisionLabel, kube::Label(pod, kRevisionLabel))));
  std::set<std::string> groups;
  for (const json::Value& sibling : pods) {
    const std::string group(kube::Annotation(sibling, names::kPodGroupAnnotation));
    if (group.empty()) continue;
    if (!groups.insert(group).second) return false;
  }
  if (groups.empty()) return false;
  if (groups.size() > 1) return true;
  return GroupIsOfOnePod(context, ns, *groups.begin());
}

// A revision's group takes labels, annotations and queue from it, and nothing more.
Metadata BareMetadata(const Context& context, const json::Value& revision, const json::Value& pod,
                      Metadata full) {
  full.queue = ResolveQueue(context, revision, pod);
  full.preemptibility.clear();
  full.preemption_delay.reset();
  full.staleness_grace_period.reset();
  full.topology = {};
  return full;
}

}  // namespace

base::Result<Metadata> GroupKnative(const Context& context, const Workload& workload) {
  const json::Value& pod = workload.pod;
  COPPICE_ASSIGN(const json::Value revision, RevisionOf(context, workload));
  COPPICE_ASSIGN(Metadata full, GroupByTopOwner(context, revision, pod, kFallbackClass));
  Metadata metadata = BareMetadata(context, revision, pod, std::move(full));
  bool per_pod = !context.options.knative_gang_schedule;
  if (!per_pod) {
    COPPICE_ASSIGN(per_pod, IsGroupedPerPod(context, pod));
  }
  if (!per_pod) {
    metadata.min_available = ParseInt(kube::Annotation(revision, kMinScale)).value_or(1);
    return metadata;
  }
  metadata.owner = {"v1", "Pod", std::string(kube::Name(pod)), std::string(kube::Uid(pod))};
  metadata.name = fmt::format("pg-{}-{}", kube::Name(pod), kube::Uid(pod));
  metadata.priority_class = kFallbackClass;
  return metadata;
}

}  // namespace coppice::services::grouper
