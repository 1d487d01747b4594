#include <fmt/format.h>

#include "base/log.h"
#include "kube/object.h"
#include "services/grouper/default_grouper.h"
#include "services/grouper/families.h"
#include "services/grouper/values.h"
#include "services/names.h"

namespace coppice::services::grouper {
namespace {

constexpr std::string_view kPriorityLabel = "ray.io/priority-class-name";
constexpr std::string_view kGroupLabel = "ray.io/group";
constexpr std::string_view kHeadGroup = "headgroup";

base::Result<std::optional<TopologyConstraint>> GroupTopology(const json::Value& spec,
                                                              std::string_view group) {
  TopologyConstraint constraint = TopologyOf(spec["template"]["metadata"]["annotations"]);
  if (!constraint.HasLevel()) return std::optional<TopologyConstraint>();
  if (constraint.topology.empty()) {
    return base::InvalidArgument(
        fmt::format("group {} names a topology level but no topology", group));
  }
  return std::optional(std::move(constraint));
}

bool IsSuspended(const json::Value& group) {
  return group["suspended"].AsBool() || group["suspend"].AsBool();
}

// Pods that the group must have; none when it is left out.
base::Result<std::optional<int64_t>> RequiredPods(const json::Value& group, std::string_view name) {
  if (IsSuspended(group)) return std::optional<int64_t>();
  COPPICE_ASSIGN(const int64_t minimum, IntOr(group["minReplicas"], 0, "minReplicas"));
  COPPICE_ASSIGN(const int64_t replicas, IntOr(group["replicas"], 0, "replicas"));
  if (minimum == 0 && replicas == 0) return std::optional<int64_t>();
  if (minimum > replicas) {
    return base::InvalidArgument(
        fmt::format("group {} has minReplicas {} above replicas {}", name, minimum, replicas));
  }
  COPPICE_ASSIGN(const int64_t hosts, IntOr(group["numOfHosts"], 1, "numOfHosts"));
  return std::optional((minimum > 0 ? minimum : replicas) * hosts);
}

std::string RayGroupName(const json::Value& group, size_t index) {
  const std::string_view name = group["groupName"].AsString();
  return name.empty() ? fmt::format("worker-group-{}", index) : std::string(name);
}

base::Status AddSubGroup(const json::Value& spec, std::string name, int64_t pods,
                         Metadata& metadata) {
  COPPICE_ASSIGN(auto topology, GroupTopology(spec, name));
  metadata.sub_groups.push_back(
      {.name = std::move(name), .min_available = pods, .topology = std::move(topology)});
  return {};
}

base::Status AddRaySubGroups(const json::Value& cluster, Metadata& metadata) {
  const json::Value& spec = cluster["spec"];
  COPPICE_TRY(AddSubGroup(spec["headGroupSpec"], std::string(kHeadGroup), 1, metadata));
  metadata.min_available = 1;
  for (size_t i = 0; i < spec["workerGroupSpecs"].size(); ++i) {
    const json::Value& group = spec["workerGroupSpecs"].At(i);
    const std::string name = RayGroupName(group, i);
    COPPICE_ASSIGN(const std::optional<int64_t> pods, RequiredPods(group, name));
    if (!pods) continue;
    COPPICE_TRY(AddSubGroup(group, name, *pods, metadata));
    metadata.min_available += *pods;
  }
  return {};
}

// Groups that an earlier release made flat stay flat.
base::Result<bool> ExistsWithoutSubGroups(const Context& context, const Metadata& metadata) {
  const base::Result<json::Value> group =
      context.lookup.Get(kPodGroupVersion, "PodGroup", metadata.ns, metadata.name);
  if (group) return (*group)["spec"]["subGroups"].empty();
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
  if (const json::Value* priority = FindLabel(workload.top_owner, kPriorityLabel)) {
    metadata.priority_class = priority->ToString();
  }
  COPPICE_TRY(AddRaySubGroups(cluster, metadata));
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
                 context.lookup.Get(owner["apiVersion"].AsString(), "RayCluster",
                                    kube::Namespace(owner), cluster_name));
  return GroupByCluster(context, workload, cluster);
}

}  // namespace

base::Result<Metadata> GroupRayCluster(const Context& context, const Workload& workload) {
  return GroupByCluster(context, workload, workload.top_owner);
}

base::Result<Metadata> GroupRayJob(const Context& context, const Workload& workload) {
  return GroupByNamedCluster(context, workload,
                             workload.top_owner["status"]["rayClusterName"].AsString());
}

base::Result<Metadata> GroupRayService(const Context& context, const Workload& workload) {
  const json::Value& status = workload.top_owner["status"];
  std::string_view cluster = status["activeServiceStatus"]["rayClusterName"].AsString();
  if (cluster.empty()) cluster = status["pendingServiceStatus"]["rayClusterName"].AsString();
  return GroupByNamedCluster(context, workload, cluster);
}

}  // namespace coppice::services::grouper
