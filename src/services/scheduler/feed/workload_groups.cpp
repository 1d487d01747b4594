#include "services/scheduler/feed/workload_groups.h"

#include <fmt/format.h>

#include "api/view/scheduling_v1alpha1.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/served.h"
#include "services/scheduler/read/selectors.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::services::scheduler {
namespace {

using json::Value;
using view::scheduling_v1alpha3::CompositePodGroup;
using view::scheduling_v1alpha3::PodGroup;

constexpr const char* kByWorkload = "workload";
constexpr const char* kByParent = "parent-composite";
// kube-scheduler leaves what it has bound alone, even when a gang loses members.
constexpr base::Duration kNeverStale = std::chrono::seconds(-1);
constexpr int kMaxDepth = 8;  // Kubernetes allows four levels.

const api::Resource kComposites{"scheduling.k8s.io", "v1alpha3", "compositepodgroups",
                                "CompositePodGroup", true};

std::string Qualified(std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}", ns, name);
}

std::vector<std::string> WorkloadIndex(const Value& pod) {
  const std::string_view name = view::core::Pod(pod).spec().workloadRef().name();
  if (name.empty()) return {};
  return {Qualified(kube::Namespace(pod), name)};
}

template <typename Kind>
std::vector<std::string> ParentIndex(const Value& group) {
  const std::string_view parent = Kind(group).spec().parentCompositePodGroupName();
  if (parent.empty()) return {};
  return {Qualified(kube::Namespace(group), parent)};
}

std::optional<view::scheduling_v1alpha1::PodGroup> FindPart(
    view::scheduling_v1alpha1::WorkloadSpec workload, std::string_view name) {
  for (const view::scheduling_v1alpha1::PodGroup part : workload.podGroups()) {
    if (part.name() == name) return part;
  }
  return std::nullopt;
}

base::Time CreatedAt(view::meta::ObjectMeta object) {
  return ReadTime(object.creationTimestamp()).value_or(base::Time{});
}

std::string AloneName(const Value& pod) { return fmt::format("pod/{}", kube::Uid(pod)); }

int MinGroups(view::scheduling_v1alpha3::CompositePodGroupSpec composite) {
  return static_cast<int>(composite.schedulingPolicy().gang().minGroupCount());
}

}  // namespace

int64_t MinCount(view::scheduling_v1alpha3::PodGroupSpec group) {
  return group.schedulingPolicy().gang().minCount(1);
}

std::vector<std::string> SchedulingGroupIndex(const Value& pod) {
  const std::string_view name = view::core::Pod(pod).spec().schedulingGroup().podGroupName();
  if (name.empty()) return {};
  return {Qualified(kube::Namespace(pod), name)};
}

std::string DefaultGroupName(const Value& pod) {
  const std::string_view ns = kube::Namespace(pod);
  const view::core::WorkloadReference workload = view::core::Pod(pod).spec().workloadRef();
  const view::core::PodSchedulingGroup group = view::core::Pod(pod).spec().schedulingGroup();
  if (workload) {
    return fmt::format("workload/{}/{}/{}/{}", ns, workload.name(), workload.podGroup(),
                       workload.podGroupReplicaKey());
  }
  if (group) return fmt::format("podgroup/{}/{}", ns, group.podGroupName());
  return AloneName(pod);
}

base::Result<std::optional<api::Resource>> ServedPodGroups(kube::Client& client) {
  for (const char* version : {"v1beta1", "v1alpha3", "v1alpha2"}) {
    const api::Resource groups{"scheduling.k8s.io", version, "podgroups", "PodGroup", true};
    COPPICE_ASSIGN(const bool served, IsServed(client, groups));
    if (served) return std::optional(groups);
  }
  return std::optional<api::Resource>();
}

base::Status WorkloadGroups::Watch(
    const std::function<void(const api::ObjectKey& pod)>& on_change) {
  kube::Informer* pods = &runtime_.cache.InformerFor(api::kPods);
  const auto mark = [pods, on_change](const char* index, const std::string& value) {
    for (const Value& pod : pods->ByIndex(index, value)) on_change(kube::KeyOf(pod));
  };
  COPPICE_ASSIGN(const bool workloads, IsServed(runtime_.client, api::kWorkloadsV1Alpha1));
  if (workloads) {
    pods->AddIndex(kByWorkload, WorkloadIndex);
    workloads_ = &runtime_.cache.InformerFor(api::kWorkloadsV1Alpha1);
    workloads_->AddHandler([mark](const kube::Change& change) {
      mark(kByWorkload, kube::KeyOf(change.object).ToString());
    });
  }
  COPPICE_ASSIGN(const auto served, ServedPodGroups(runtime_.client));
  if (served) {
    pods->AddIndex(kBySchedulingGroup, SchedulingGroupIndex);
    groups_ = &runtime_.cache.InformerFor(*served);
    groups_->AddIndex(kByParent, ParentIndex<PodGroup>);
    groups_->AddHandler([mark](const kube::Change& change) {
      mark(kBySchedulingGroup, kube::KeyOf(change.object).ToString());
    });
  }
  if (!groups_) return {};
  COPPICE_ASSIGN(const bool composites, IsServed(runtime_.client, kComposites));
  if (!composites) return {};
  composites_ = &runtime_.cache.InformerFor(kComposites);
  composites_->AddIndex(kByParent, ParentIndex<CompositePodGroup>);
  // Trees are small, and hardly ever change once they exist.
  composites_->AddHandler([this, mark](const kube::Change& change) {
    for (const Value& group : groups_->List(kube::Namespace(change.object))) {
      if (ParentIndex<PodGroup>(group).empty()) continue;
      mark(kBySchedulingGroup, kube::KeyOf(group).ToString());
    }
  });
  return {};
}

std::optional<WorkloadGroups::Membership> WorkloadGroups::Of(const Value& object) {
  const view::core::Pod pod(object);
  Membership alone;
  alone.group.namespace_name = pod.metadata().namespace_();
  alone.group.priority = pod.spec().priority();
  alone.group.preemptible = false;
  alone.group.staleness_grace = kNeverStale;
  alone.group.creation = CreatedAt(pod.metadata());
  alone.group.min_members = 1;
  alone.group.name = AloneName(object);
  if (pod.spec().has_workloadRef()) return OfWorkload(pod, std::move(alone));
  if (pod.spec().has_schedulingGroup()) return OfPodGroup(pod, std::move(alone));
  return alone;
}

std::optional<WorkloadGroups::Membership> WorkloadGroups::OfWorkload(view::core::Pod pod,
                                                                     Membership alone) {
  const view::core::WorkloadReference reference = pod.spec().workloadRef();
  if (!workloads_) return std::nullopt;
  const auto object = workloads_->Get({alone.group.namespace_name, std::string(reference.name())});
  if (!object) return std::nullopt;
  const view::scheduling_v1alpha1::Workload workload(*object);
  const auto part = FindPart(workload.spec(), reference.podGroup());
  if (!part) return std::nullopt;
  const view::scheduling_v1alpha1::GangSchedulingPolicy gang = part->policy().gang();
  if (!gang) return alone;
  alone.group.creation = CreatedAt(workload.metadata());
  alone.group.min_members = static_cast<int>(gang.minCount(1));
  alone.group.name = DefaultGroupName(pod.Json());
  alone.group.shown_as = ShownGroup(*object);
  return alone;
}

// The engine knows topologies by name; a topology with only this label represents the constraint.
std::optional<engine::TopologyConstraint> WorkloadGroups::Constraint(
    view::List<view::scheduling_v1alpha3::TopologyConstraint> constraints) {
  const std::string key(constraints.At(0).key());
  if (key.empty()) return std::nullopt;
  const std::string name = "coppice.label/" + key;
  engine_.PutTopology({name, {{key, ""}}});
  return engine::TopologyConstraint{name, key, ""};
}

std::optional<WorkloadGroups::Membership> WorkloadGroups::OfPodGroup(view::core::Pod pod,
                                                                     Membership alone) {
  if (!groups_) return std::nullopt;
  const std::string name(pod.spec().schedulingGroup().podGroupName());
  const auto object = groups_->Get({alone.group.namespace_name, name});
  if (!object) return std::nullopt;
  const PodGroup group(*object);
  const view::scheduling_v1alpha3::PodGroupSpec spec = group.spec();
  if (!spec.parentCompositePodGroupName().empty()) return OfComposite(group, std::move(alone));
  alone.group.topology = Constraint(spec.schedulingConstraints().topology());
  if (!spec.schedulingPolicy().gang() && !alone.group.topology) return alone;
  alone.group.creation = CreatedAt(group.metadata());
  alone.group.priority = spec.priority(alone.group.priority);
  alone.group.min_members = static_cast<int>(MinCount(spec));
  alone.group.name = DefaultGroupName(pod.Json());
  alone.group.shown_as = ShownGroup(*object);
  return alone;
}

std::optional<WorkloadGroups::Membership> WorkloadGroups::OfComposite(PodGroup group,
                                                                      Membership alone) {
  if (!composites_) return std::nullopt;
  const std::string ns = alone.group.namespace_name;
  std::string root(group.spec().parentCompositePodGroupName());
  std::optional<Value> object = composites_->Get({ns, root});
  for (int depth = 0; object && depth < kMaxDepth; ++depth) {
    const std::string above(CompositePodGroup(*object).spec().parentCompositePodGroupName());
    if (above.empty()) break;
    root = above;
    object = composites_->Get({ns, root});
  }
  if (!object) return std::nullopt;
  const CompositePodGroup composite(*object);
  engine::PodGroupSpec& out = alone.group;
  out.creation = CreatedAt(composite.metadata());
  out.priority = composite.spec().priority(out.priority);
  out.topology = Constraint(composite.spec().schedulingConstraints().topology());
  out.min_members.reset();
  out.min_sub_groups = MinGroups(composite.spec());
  out.name = fmt::format("composite/{}/{}", ns, root);
  out.shown_as = ShownGroup(*object);
  AddChildren(ns, root, "", 0, out);
  alone.sub_group = group.metadata().name();
  return alone;
}

void WorkloadGroups::AddChildren(const std::string& ns, const std::string& composite,
                                 const std::string& parent, int depth, engine::PodGroupSpec& out) {
  if (depth > kMaxDepth) return;
  for (const Value& inner : composites_->ByIndex(kByParent, Qualified(ns, composite))) {
    const std::string name(kube::Name(inner));
    const auto spec = CompositePodGroup(inner).spec();
    // Composites and groups may share a name; levels of the tree may not.
    out.sub_groups.push_back({"composite/" + name, parent, std::nullopt, MinGroups(spec),
                              Constraint(spec.schedulingConstraints().topology())});
    AddChildren(ns, name, "composite/" + name, depth + 1, out);
  }
  for (const Value& leaf : groups_->ByIndex(kByParent, Qualified(ns, composite))) {
    const auto spec = PodGroup(leaf).spec();
    out.sub_groups.push_back({std::string(kube::Name(leaf)), parent,
                              static_cast<int>(MinCount(spec)), std::nullopt,
                              Constraint(spec.schedulingConstraints().topology())});
  }
}

}  // namespace coppice::services::scheduler
