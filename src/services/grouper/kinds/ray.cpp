#include "api/key/ray.h"

#include <fmt/format.h>

#include "api/foreign/names.h"
#include "api/view/kai.h"
#include "api/view/ray.h"
#include "base/log.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

namespace coppice::services::grouper {
namespace {

using view::ray::WorkerGroupSpec;

constexpr std::string_view kPriorityLabel = api::foreign::kRayPriorityClass;
constexpr std::string_view kGroupLabel = api::foreign::kRayGroup;
constexpr std::string_view kHeadGroup = "headgroup";

base::Result<std::optional<TopologyConstraint>> GroupTopology(view::core::PodTemplateSpec pods,
                                                              std::string_view group) {
  TopologyConstraint constraint = TopologyOf(pods.metadata().annotations());
  if (!constraint.HasLevel()) return std::optional<TopologyConstraint>();
  if (constraint.topology.empty()) {
    return base::InvalidArgument(
        fmt::format("group {} names a topology level but no topology", group));
  }
  return std::optional(std::move(constraint));
}

bool IsSuspended(WorkerGroupSpec group) { return group.suspended() || group.suspend(); }

// Pods that the group must have; none when it is left out.
base::Result<std::optional<int64_t>> RequiredPods(WorkerGroupSpec group, std::string_view name) {
  using Key = key::ray::WorkerGroupSpec;
  const json::Value& fields = group.Json();
  if (IsSuspended(group)) return std::optional<int64_t>();
  COPPICE_ASSIGN(const int64_t minimum, IntOr(fields[Key::minReplicas], 0, "minReplicas"));
  COPPICE_ASSIGN(const int64_t replicas, IntOr(fields[Key::replicas], 0, "replicas"));
  if (minimum == 0 && replicas == 0) return std::optional<int64_t>();
  if (minimum > replicas) {
    return base::InvalidArgument(
        fmt::format("group {} has minReplicas {} above replicas {}", name, minimum, replicas));
  }
  COPPICE_ASSIGN(const int64_t hosts, IntOr(fields[Key::numOfHosts], 1, "numOfHosts"));
  return std::optional((minimum > 0 ? minimum : replicas) * hosts);
}

std::string RayGroupName(WorkerGroupSpec group, size_t index) {
  if (group.groupName().empty()) return fmt::format("worker-group-{}", index);
  return std::string(group.groupName());
}

base::Status AddSubGroup(view::core::PodTemplateSpec pods, std::string name, int64_t count,
                         Metadata& metadata) {
  COPPICE_ASSIGN(auto topology, GroupTopology(pods, name));
  metadata.sub_groups.push_back(
      {.name = std::move(name), .min_available = count, .topology = std::move(topology)});
  return {};
}

base::Status AddRaySubGroups(view::ray::RayClusterSpec cluster, Metadata& metadata) {
  COPPICE_TRY(
      AddSubGroup(cluster.headGroupSpec().template_(), std::string(kHeadGroup), 1, metadata));
  metadata.min_available = 1;
  for (size_t i = 0; i < cluster.workerGroupSpecs().size(); ++i) {
    const WorkerGroupSpec group = cluster.workerGroupSpecs().At(i);
    const std::string name = RayGroupName(group, i);
    COPPICE_ASSIGN(const std::optional<int64_t> pods, RequiredPods(group, name));
    if (!pods) continue;
    COPPICE_TRY(AddSubGroup(group.template_(), name, *pods, metadata));
    metadata.min_available += *pods;
  }
  return {};
}

// Groups that an earlier release made flat stay flat.
base::Result<bool> ExistsWithoutSubGroups(const Context& context, const Metadata& metadata) {
  const base::Result<json::Value> group =
      context.lookup.Get(kPodGroupVersion, "PodGroup", metadata.ns, metadata.name);
  if (group) return view::kai::PodGroup(*group).spec().subGroups().empty();
  if (group.Is(base::ErrorCode::kNotFound)) return false;
  return group.error().During("reading the cluster's PodGroup");
}

void AssignRayPod(const json::Value& pod, Metadata& metadata) {
  if (SubGroup* own = metadata.FindSubGroup(kube::Label(pod, kGroupLabel))) {
    own->pods.emplace_back(kube::Name(pod));
  } else {
    base::LogDebug("a pod of a Ray cluster belongs to none of its groups",
                   {{"pod", kube::Name(pod)}});
  }
}

base::Result<Metadata> GroupByCluster(const Context& context, const Workload& workload,
                                      const json::Value& cluster) {
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, workload.pod));
  if (const auto priority = FindLabel(workload.top_owner, kPriorityLabel)) {
    metadata.priority_class = *priority;
  }
  COPPICE_TRY(AddRaySubGroups(view::ray::RayCluster(cluster).spec(), metadata));
  COPPICE_ASSIGN(const bool flat, ExistsWithoutSubGroups(context, metadata));
  if (flat) {
    metadata.sub_groups.clear();
  } else {
    AssignRayPod(workload.pod, metadata);
  }
  return metadata;
}

base::Result<Metadata> GroupByNamedCluster(const Context& context, const Workload& workload,
                                           std::string_view cluster_name) {
  const json::Value& owner = workload.top_owner;
  if (cluster_name.empty()) {
    return base::NotFound(fmt::format("the {} has no RayCluster yet", kube::Kind(owner)));
  }
  COPPICE_ASSIGN(const json::Value cluster,
                 context.lookup.Get(Object(owner).apiVersion(), "RayCluster",
                                    kube::Namespace(owner), cluster_name));
  return GroupByCluster(context, workload, cluster);
}

}  // namespace

base::Result<Metadata> GroupRayCluster(const Context& context, const Workload& workload) {
  return GroupByCluster(context, workload, workload.top_owner);
}

base::Result<Metadata> GroupRayJob(const Context& context, const Workload& workload) {
  const view::ray::RayJob job(workload.top_owner);
  return GroupByNamedCluster(context, workload, job.status().rayClusterName());
}

base::Result<Metadata> GroupRayService(const Context& context, const Workload& workload) {
  const auto status = view::ray::RayService(workload.top_owner).status();
  std::string_view cluster = status.activeServiceStatus().rayClusterName();
  if (cluster.empty()) cluster = status.pendingServiceStatus().rayClusterName();
  return GroupByNamedCluster(context, workload, cluster);
}

}  // namespace coppice::services::grouper
