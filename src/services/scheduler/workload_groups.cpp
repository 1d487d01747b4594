#include "services/scheduler/workload_groups.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/served.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

using json::Value;

constexpr const char* kByWorkload = "workload";
constexpr const char* kByParent = "parent-composite";
constexpr int kMaxDepth = 8;  // Kubernetes allows four levels.

const api::Resource kComposites{"scheduling.k8s.io", "v1alpha3", "compositepodgroups",
                                "CompositePodGroup", true};

std::string Qualified(std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}", ns, name);
}

std::vector<std::string> WorkloadIndex(const Value& pod) {
  const std::string_view name = pod["spec"]["workloadRef"]["name"].AsString();
  if (name.empty()) return {};
  return {Qualified(kube::Namespace(pod), name)};
}

std::vector<std::string> ParentIndex(const Value& group) {
  const std::string_view parent = group["spec"]["parentCompositePodGroupName"].AsString();
  if (parent.empty()) return {};
  return {Qualified(kube::Namespace(group), parent)};
}

const Value* FindNamed(const Value& list, const Value& name) {
  for (const Value& item : list.Items()) {
    if (item["name"] == name) return &item;
  }
  return nullptr;
}

base::Time CreatedAt(const Value& object) {
  return ReadTime(object["metadata"]["creationTimestamp"]).value_or(base::Time{});
}

// A group without a gang policy needs one pod to count.
int MinCount(const Value& spec) {
  return static_cast<int>(spec["schedulingPolicy"]["gang"]["minCount"].AsInt(1));
}

}  // namespace

std::vector<std::string> SchedulingGroupIndex(const Value& pod) {
  const std::string_view name = pod["spec"]["schedulingGroup"]["podGroupName"].AsString();
  if (name.empty()) return {};
  return {Qualified(kube::Namespace(pod), name)};
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
    groups_->AddIndex(kByParent, ParentIndex);
    groups_->AddHandler([mark](const kube::Change& change) {
      mark(kBySchedulingGroup, kube::KeyOf(change.object).ToString());
    });
  }
  if (!groups_) return {};
  COPPICE_ASSIGN(const bool composites, IsServed(runtime_.client, kComposites));
  if (!composites) return {};
  composites_ = &runtime_.cache.InformerFor(kComposites);
  composites_->AddIndex(kByParent, ParentIndex);
  // Trees are small, and change hardly ever once they are there.
  composites_->AddHandler([this, mark](const kube::Change& change) {
    for (const Value& group : groups_->List(kube::Namespace(change.object))) {
      if (ParentIndex(group).empty()) continue;
      mark(kBySchedulingGroup, kube::KeyOf(group).ToString());
    }
  });
  return {};
}

std::optional<WorkloadGroups::Membership> WorkloadGroups::Of(const Value& pod) {
  Membership alone;
  alone.group.namespace_name = kube::Namespace(pod);
  alone.group.priority = pod["spec"]["priority"].AsInt();
  alone.group.preemptible = false;
  alone.group.creation = CreatedAt(pod);
  alone.group.min_members = 1;
  alone.group.name = fmt::format("pod/{}", kube::Uid(pod));
  if (pod["spec"].Has("workloadRef")) return OfWorkload(pod, std::move(alone));
  if (pod["spec"].Has("schedulingGroup")) return OfPodGroup(pod, std::move(alone));
  return alone;
}

std::optional<WorkloadGroups::Membership> WorkloadGroups::OfWorkload(const Value& pod,
                                                                     Membership alone) {
  const Value& reference = pod["spec"]["workloadRef"];
  if (!workloads_) return std::nullopt;
  const std::string ns = alone.group.namespace_name;
  const auto workload = workloads_->Get({ns, reference["name"].ToString()});
  if (!workload) return std::nullopt;
  const Value* part = FindNamed((*workload)["spec"]["podGroups"], reference["podGroup"]);
  if (!part) return std::nullopt;
  const Value& gang = (*part)["policy"]["gang"];
  if (gang.IsNull()) return alone;
  alone.group.creation = CreatedAt(*workload);
  alone.group.min_members = static_cast<int>(gang["minCount"].AsInt(1));
  alone.group.name =
      fmt::format("workload/{}/{}/{}/{}", ns, kube::Name(*workload),
                  reference["podGroup"].AsString(), reference["podGroupReplicaKey"].AsString());
  return alone;
}

// The engine knows topologies by name; one made of this label alone stands for the constraint.
std::optional<engine::TopologyConstraint> WorkloadGroups::Constraint(const Value& spec) {
  const std::string key = spec["schedulingConstraints"]["topology"].At(0)["key"].ToString();
  if (key.empty()) return std::nullopt;
  const std::string name = "coppice.label/" + key;
  engine_.PutTopology({name, {{key, ""}}});
  return engine::TopologyConstraint{name, key, ""};
}

std::optional<WorkloadGroups::Membership> WorkloadGroups::OfPodGroup(const Value& pod,
                                                                     Membership alone) {
  if (!groups_) return std::nullopt;
  const std::string name = pod["spec"]["schedulingGroup"]["podGroupName"].ToString();
  const auto group = groups_->Get({alone.group.namespace_name, name});
  if (!group) return std::nullopt;
  const Value& spec = (*group)["spec"];
  if (!spec["parentCompositePodGroupName"].AsString().empty()) {
    return OfComposite(*group, std::move(alone));
  }
  alone.group.topology = Constraint(spec);
  if (spec["schedulingPolicy"]["gang"].IsNull() && !alone.group.topology) return alone;
  alone.group.creation = CreatedAt(*group);
  alone.group.priority = spec["priority"].AsInt(alone.group.priority);
  alone.group.min_members = MinCount(spec);
  alone.group.name = fmt::format("podgroup/{}/{}", alone.group.namespace_name, name);
  return alone;
}

std::optional<WorkloadGroups::Membership> WorkloadGroups::OfComposite(const Value& group,
                                                                      Membership alone) {
  if (!composites_) return std::nullopt;
  const std::string ns = alone.group.namespace_name;
  std::string root = group["spec"]["parentCompositePodGroupName"].ToString();
  std::optional<Value> composite = composites_->Get({ns, root});
  for (int depth = 0; composite && depth < kMaxDepth; ++depth) {
    const std::string above = (*composite)["spec"]["parentCompositePodGroupName"].ToString();
    if (above.empty()) break;
    root = above;
    composite = composites_->Get({ns, root});
  }
  if (!composite) return std::nullopt;
  engine::PodGroupSpec& out = alone.group;
  const Value& spec = (*composite)["spec"];
  out.creation = CreatedAt(*composite);
  out.priority = spec["priority"].AsInt(out.priority);
  out.topology = Constraint(spec);
  out.min_members.reset();
  out.min_sub_groups = static_cast<int>(spec["schedulingPolicy"]["gang"]["minGroupCount"].AsInt(0));
  out.name = fmt::format("composite/{}/{}", ns, root);
  AddChildren(ns, root, "", 0, out);
  alone.sub_group = kube::Name(group);
  return alone;
}

void WorkloadGroups::AddChildren(const std::string& ns, const std::string& composite,
                                 const std::string& parent, int depth, engine::PodGroupSpec& out) {
  if (depth > kMaxDepth) return;
  for (const Value& inner : composites_->ByIndex(kByParent, Qualified(ns, composite))) {
    const std::string name(kube::Name(inner));
    const Value& gang = inner["spec"]["schedulingPolicy"]["gang"];
    // Composites and groups may share a name; levels of the tree may not.
    out.sub_groups.push_back({"composite/" + name, parent, std::nullopt,
                              static_cast<int>(gang["minGroupCount"].AsInt(0)),
                              Constraint(inner["spec"])});
    AddChildren(ns, name, "composite/" + name, depth + 1, out);
  }
  for (const Value& leaf : groups_->ByIndex(kByParent, Qualified(ns, composite))) {
    out.sub_groups.push_back({std::string(kube::Name(leaf)), parent, MinCount(leaf["spec"]),
                              std::nullopt, Constraint(leaf["spec"])});
  }
}

}  // namespace coppice::services::scheduler
