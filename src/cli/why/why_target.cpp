#include "cli/why/why_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/edit/core.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/scheduling_v1alpha1.h"
#include "api/well_known.h"
#include "cli/common/list_or_none.h"
#include "cli/common/resource_words.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/scheduler/feed/foreign_groups.h"
#include "services/scheduler/feed/workload_groups.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::cli {
namespace {

using json::Value;
using services::scheduler::ShownAs;
using services::scheduler::ShownGroup;
using Targets = std::vector<WhyTarget>;

// CronJobs are no resource of ours.
const api::Resource& CronJobs() { return FindResourceWord("cronjob")->resource; }

bool IsOwnerKind(const api::Resource& resource) {
  return resource == api::kJobs || resource == CronJobs() || resource == api::kDeployments ||
         resource == api::kStatefulSets || resource == api::kReplicaSets;
}

// Whether it is, has or makes pods that wait together.
bool HasGroups(const api::Resource& resource) {
  return IsOwnerKind(resource) || resource == api::kPodCliqueSets || resource == api::kPodGangs ||
         resource == api::kPodCliques || resource == api::kPodGroups || resource == api::kPods;
}

WhyTarget TargetOf(const Value& group, const Value& gang = {}) {
  WhyTarget target;
  target.group = kube::KeyOf(group);
  target.gang = gang;
  target.node_pool = kube::Label(group, services::names::kNodePoolLabel);
  if (kube::Kind(group) == "PodGroup") target.pod_group = group;
  return target;
}

bool IsForDefaultScheduler(const Value& pod) {
  const std::string_view name = view::core::Pod(pod).spec().schedulerName();
  return name.empty() || name == "default-scheduler";
}

// Whether the pod starts together with others. Surplus pods of a gang are in a Workload entry
// without a gang policy, or in none.
bool StartsWithOthers(kube::Client& client, const Value& object) {
  const view::core::Pod pod(object);
  if (pod.spec().has_schedulingGroup()) return true;
  if (!pod.spec().has_workloadRef()) return false;
  const view::core::WorkloadReference reference = pod.spec().workloadRef();
  const auto workload = client.Get(api::kWorkloadsV1Alpha1, {std::string(kube::Namespace(object)),
                                                             std::string(reference.name())});
  if (!workload) return true;
  for (const auto part : view::scheduling_v1alpha1::Workload(*workload).spec().podGroups()) {
    if (part.name() == reference.podGroup()) return part.policy().has_gang();
  }
  return true;
}

// A pod that is scheduled by itself, whatever it references.
WhyTarget TargetOfLonePod(const Value& pod) {
  Value alone = pod;
  edit::core::Pod(alone).spec().clear_workloadRef();
  WhyTarget target = TargetOf(pod);
  target.pod = pod;
  target.group.name = services::scheduler::DefaultGroupName(alone);
  target.shown_as = kube::KeyOf(pod).ToString();
  return target;
}

// Gangs of the default scheduler are grouped by their Workload, one group per entry. Surplus pods
// are not grouped, and running pods need no explanation.
base::Result<Targets> WorkloadGroupsOf(kube::Client& client, const Value& gang) {
  COPPICE_ASSIGN(const std::vector<Value> pods,
                 ListOrNone(client, api::kPods, kube::Namespace(gang)));
  Targets targets;
  for (const Value& pod : pods) {
    if (kube::Label(pod, api::labels::kPodGang) != kube::Name(gang)) continue;
    if (!IsForDefaultScheduler(pod)) break;
    if (!StartsWithOthers(client, pod)) {
      if (view::core::Pod(pod).spec().nodeName().empty()) targets.push_back(TargetOfLonePod(pod));
      continue;
    }
    const std::string name = services::scheduler::DefaultGroupName(pod);
    const bool known = std::any_of(targets.begin(), targets.end(),
                                   [&](const WhyTarget& each) { return each.group.name == name; });
    if (known) continue;
    targets.push_back(TargetOf(gang, gang));
    targets.back().group.name = name;
    targets.back().shown_as = kube::KeyOf(gang).ToString();
  }
  return targets;
}

// Its PodGroups; a gang of grove-scheduler has none and is a group itself.
base::Result<Targets> GroupsOfGang(kube::Client& client, const Value& gang) {
  const std::string ns(kube::Namespace(gang));
  COPPICE_ASSIGN(const std::vector<Value> groups, ListOrNone(client, api::kPodGroups, ns));
  Targets targets;
  for (const Value& group : groups) {
    if (kube::IsOwnedBy(group, kube::Uid(gang))) targets.push_back(TargetOf(group, gang));
  }
  if (targets.empty()) {
    COPPICE_ASSIGN(targets, WorkloadGroupsOf(client, gang));
  }
  if (targets.empty()) {
    WhyTarget target = TargetOf(gang, gang);
    target.group.name = services::scheduler::PodGangGroupName(ns, kube::Name(gang));
    target.shown_as = kube::KeyOf(gang).ToString();
    targets.push_back(std::move(target));
  }
  return targets;
}

base::Result<Targets> GroupsOfSet(kube::Client& client, const Value& set) {
  const std::string ns(kube::Namespace(set));
  COPPICE_ASSIGN(const std::vector<Value> gangs, ListOrNone(client, api::kPodGangs, ns));
  Targets targets;
  for (const Value& gang : gangs) {
    if (!kube::IsOwnedBy(gang, kube::Uid(set))) continue;
    COPPICE_ASSIGN(const Targets owned, GroupsOfGang(client, gang));
    targets.insert(targets.end(), owned.begin(), owned.end());
  }
  if (targets.empty()) {
    targets.emplace_back();
    targets.back().owner = set;
    targets.back().shown_as = kube::KeyOf(set).ToString();
  }
  return targets;
}

base::Result<Targets> GroupsOfPod(kube::Client& client, const Value& pod) {
  const std::string ns(kube::Namespace(pod));
  const std::string group(kube::Annotation(pod, services::names::kPodGroupAnnotation));
  const std::string name(kube::Label(pod, api::labels::kPodGang));
  if (!group.empty() || name.empty()) {
    WhyTarget target = TargetOf(pod);
    target.group.name = group;
    target.pod = pod;
    if (group.empty() && IsForDefaultScheduler(pod)) {
      target.group.name = services::scheduler::DefaultGroupName(pod);
      target.shown_as = kube::KeyOf(pod).ToString();
    }
    if (!group.empty()) {
      target.pod_group = client.Get(api::kPodGroups, target.group).value_or(Value());
    }
    return Targets{std::move(target)};
  }
  COPPICE_ASSIGN(const Value gang, client.Get(api::kPodGangs, {ns, name}));
  return GroupsOfGang(client, gang);
}

// A clique starts with its gang.
base::Result<Targets> GroupsOfClique(kube::Client& client, const Value& clique) {
  const std::string ns(kube::Namespace(clique));
  const std::string gang(kube::Label(clique, api::labels::kPodGang));
  const auto found = client.Get(api::kPodGangs, {ns, gang});
  if (found) return GroupsOfGang(client, *found);
  if (!found.Is(base::ErrorCode::kNotFound)) return found.error();
  return base::NotFound(
      fmt::format("clique {} has no gang yet; ask about its set", kube::Name(clique)));
}

// For an owner of any kind: a Job, PyTorchJob, RayCluster, …
base::Result<Targets> GroupsOfOwner(kube::Client& client, const std::string& ns,
                                    std::string_view name);
base::Result<Targets> PodsOfOwner(kube::Client& client, const std::string& ns,
                                  std::string_view name);

// The groups or pods it created; the object itself if there are none yet.
base::Result<Targets> GroupsOfWorkload(kube::Client& client, const Value& owner) {
  const std::string ns(kube::Namespace(owner)), name(kube::Name(owner));
  COPPICE_ASSIGN(Targets targets, GroupsOfOwner(client, ns, name));
  if (targets.empty()) {
    COPPICE_ASSIGN(targets, PodsOfOwner(client, ns, name));
  }
  if (targets.empty()) targets.emplace_back();
  for (WhyTarget& target : targets) {
    target.owner = owner;
    if (target.shown_as.empty() && target.group.name.empty()) {
      target.shown_as = kube::KeyOf(owner).ToString();
    }
  }
  return targets;
}

// Its newest Job; the CronJob itself if it has not created one.
base::Result<Targets> GroupsOfCronJob(kube::Client& client, const Value& cron_job) {
  COPPICE_ASSIGN(const std::vector<Value> jobs,
                 ListOrNone(client, api::kJobs, kube::Namespace(cron_job)));
  Value newest;
  for (const Value& job : jobs) {
    const bool later = newest.IsNull() || kube::Metadata(newest).creationTimestamp() <=
                                              kube::Metadata(job).creationTimestamp();
    if (later && kube::IsOwnedBy(job, kube::Uid(cron_job))) newest = job;
  }
  if (newest.IsObject()) return GroupsOfWorkload(client, newest);
  WhyTarget target;
  target.owner = cron_job;
  target.shown_as = kube::KeyOf(cron_job).ToString();
  return Targets{std::move(target)};
}

base::Result<Targets> GroupsOf(kube::Client& client, const api::Resource& resource,
                               const Value& object) {
  if (resource == CronJobs()) return GroupsOfCronJob(client, object);
  if (IsOwnerKind(resource)) return GroupsOfWorkload(client, object);
  if (resource == api::kPodCliqueSets) return GroupsOfSet(client, object);
  if (resource == api::kPodGangs) return GroupsOfGang(client, object);
  if (resource == api::kPodCliques) return GroupsOfClique(client, object);
  if (resource == api::kPodGroups) return Targets{TargetOf(object)};
  return GroupsOfPod(client, object);
}

base::Result<Targets> GroupsOfOwner(kube::Client& client, const std::string& ns,
                                    std::string_view name) {
  COPPICE_ASSIGN(const std::vector<Value> groups, ListOrNone(client, api::kPodGroups, ns));
  Targets targets;
  for (const Value& group : groups) {
    for (const view::meta::OwnerReference owner : kube::Metadata(group).ownerReferences()) {
      if (owner.name() != name) continue;
      targets.push_back(TargetOf(group));
      break;
    }
  }
  return targets;
}

// A group may be found through its pod and through its owner; keep it once.
void AddNew(const Targets& more, Targets& targets) {
  for (const WhyTarget& target : more) {
    const bool known = std::any_of(targets.begin(), targets.end(), [&](const WhyTarget& other) {
      return !target.group.name.empty() && other.group == target.group;
    });
    if (!known) targets.push_back(target);
  }
}

// Directly, or through a ReplicaSet for a Deployment.
bool IsMadeBy(const Value& pod, std::string_view name) {
  const std::string_view hash = kube::Label(pod, "pod-template-hash");
  for (const view::meta::OwnerReference owner : kube::Metadata(pod).ownerReferences()) {
    if (owner.name() == name) return true;
    if (!hash.empty() && owner.name() == fmt::format("{}-{}", name, hash)) return true;
  }
  return false;
}

// The pods that an owner created, if it has no group.
base::Result<Targets> PodsOfOwner(kube::Client& client, const std::string& ns,
                                  std::string_view name) {
  COPPICE_ASSIGN(const std::vector<Value> pods, ListOrNone(client, api::kPods, ns));
  Targets targets;
  for (const Value& pod : pods) {
    if (!IsMadeBy(pod, name)) continue;
    COPPICE_ASSIGN(const Targets of_pod, GroupsOfPod(client, pod));
    AddNew(of_pod, targets);
  }
  return targets;
}

// Everything with this name: a set, a Job and a pod may share it.
base::Result<Targets> FindNamed(kube::Client& client, const std::string& ns,
                                const std::string& name) {
  Targets targets;
  bool exists = false;
  for (const ResourceWord& kind : ResourceWords()) {
    if (!HasGroups(kind.resource)) continue;
    const auto object = client.Get(kind.resource, {ns, name});
    if (object.Is(base::ErrorCode::kNotFound)) continue;
    // Users who may not read Jobs and the like can still ask about groups and pods.
    if (object.Is(base::ErrorCode::kForbidden) && IsOwnerKind(kind.resource)) continue;
    if (!object) return object.error();
    exists = true;
    COPPICE_ASSIGN(const Targets of_object, GroupsOf(client, kind.resource, *object));
    AddNew(of_object, targets);
  }
  COPPICE_ASSIGN(const Targets owned, GroupsOfOwner(client, ns, name));
  AddNew(owned, targets);
  if (exists || !targets.empty()) return targets;
  COPPICE_ASSIGN(targets, PodsOfOwner(client, ns, name));
  if (!targets.empty()) return targets;
  return base::NotFound(
      fmt::format("there is no set, gang, PodGroup, pod or owner of pods called \"{}\" in "
                  "namespace {}",
                  name, ns));
}

}  // namespace

base::Result<Targets> GroupsOfObject(kube::Client& client, const Value& object) {
  for (const ResourceWord& kind : ResourceWords()) {
    if (kind.resource.kind == kube::Kind(object) && HasGroups(kind.resource)) {
      return GroupsOf(client, kind.resource, object);
    }
  }
  return Targets();
}

base::Result<Targets> FindGroups(kube::Client& client, const std::string& ns,
                                 const std::string& target) {
  COPPICE_ASSIGN(const NamedObject named, ParseNamedObject(target));
  const std::string& name = named.name;
  if (named.kind == nullptr && named.other_kind.empty()) return FindNamed(client, ns, name);
  if (named.kind != nullptr && HasGroups(named.kind->resource)) {
    const auto object = client.Get(named.kind->resource, {ns, name});
    if (object) return GroupsOf(client, named.kind->resource, *object);
    if (!object.Is(base::ErrorCode::kNotFound)) return object.error();
    return base::NotFound(
        fmt::format("there is no {} called \"{}\" in namespace {}", named.kind->name, name, ns));
  }
  // Any other owner of PodGroups: a RayCluster, a PyTorchJob.
  COPPICE_ASSIGN(Targets owned, GroupsOfOwner(client, ns, name));
  std::erase_if(owned, [&](const WhyTarget& each) { return ShownGroup(each.pod_group) != target; });
  if (!owned.empty()) return owned;
  return base::InvalidArgument(fmt::format(
      "\"{}\" is neither a name nor set/NAME, gang/NAME, group/NAME, pod/NAME, job/NAME, "
      "cronjob/NAME, deployment/NAME, statefulset/NAME, replicaset/NAME or the owner of a PodGroup",
      target));
}

std::string ShownAs(const WhyTarget& target) {
  if (target.gang.IsObject()) {
    const std::string_view set = kube::Label(target.gang, api::labels::kPartOf);
    return set.empty() ? ShownAs(target.gang)
                       : fmt::format("set/{}, gang {}", set, kube::Name(target.gang));
  }
  if (target.owner.IsObject()) return ShownAs(target.owner);
  if (target.pod_group.IsObject()) return ShownGroup(target.pod_group);
  return target.pod.IsObject() ? ShownAs(target.pod) : "";
}

std::vector<Value> PodsOf(const WhyTarget& target, const std::vector<Value>& pods) {
  std::vector<Value> own;
  for (const Value& pod : pods) {
    const std::string_view group = kube::Annotation(pod, services::names::kPodGroupAnnotation);
    const std::string_view gang = kube::Label(pod, api::labels::kPodGang);
    const bool match = target.gang.IsObject()        ? gang == kube::Name(target.gang)
                       : target.pod_group.IsObject() ? group == target.group.name
                       : target.pod.IsObject()       ? kube::Uid(pod) == kube::Uid(target.pod)
                       : target.owner.IsObject()     ? IsMadeBy(pod, kube::Name(target.owner))
                                                     : group == target.group.name;
    if (match) own.push_back(pod);
  }
  return own;
}

}  // namespace coppice::cli
