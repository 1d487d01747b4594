#include "cli/why_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/well_known.h"
#include "cli/list_or_none.h"
#include "kube/object.h"
#include "services/names.h"
#include "services/scheduler/foreign_groups.h"

namespace coppice::cli {
namespace {

using json::Value;
using Targets = std::vector<WhyTarget>;

struct Kind {
  std::string_view name;
  const api::Resource& resource;
};

const Kind kKinds[] = {{"set", api::kPodCliqueSets},
                       {"gang", api::kPodGangs},
                       {"group", api::kPodGroups},
                       {"pod", api::kPods}};

WhyTarget TargetOf(const Value& group, const Value& gang = {}) {
  return {kube::KeyOf(group),
          gang,
          {},
          std::string(kube::Label(group, services::names::kNodePoolLabel)),
          ""};
}

// Its PodGroups; a gang of grove-scheduler has none and is a group by itself.
base::Result<Targets> GroupsOfGang(kube::Client& client, const Value& gang) {
  const std::string ns(kube::Namespace(gang));
  COPPICE_ASSIGN(const std::vector<Value> groups, ListOrNone(client, api::kPodGroups, ns));
  Targets targets;
  for (const Value& group : groups) {
    if (kube::IsOwnedBy(group, kube::Uid(gang))) targets.push_back(TargetOf(group, gang));
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
  return targets;
}

base::Result<Targets> GroupsOfPod(kube::Client& client, const Value& pod) {
  const std::string ns(kube::Namespace(pod));
  const std::string group(kube::Annotation(pod, services::names::kPodGroupAnnotation));
  const std::string name(kube::Label(pod, services::names::kPodGangLabel));
  if (!group.empty() || name.empty()) {
    WhyTarget target = TargetOf(pod);
    target.group.name = group;
    target.pod = pod;
    return Targets{std::move(target)};
  }
  COPPICE_ASSIGN(const Value gang, client.Get(api::kPodGangs, {ns, name}));
  return GroupsOfGang(client, gang);
}

base::Result<Targets> GroupsOf(kube::Client& client, const api::Resource& resource,
                               const Value& object) {
  if (resource == api::kPodCliqueSets) return GroupsOfSet(client, object);
  if (resource == api::kPodGangs) return GroupsOfGang(client, object);
  if (resource == api::kPodGroups) return Targets{TargetOf(object)};
  return GroupsOfPod(client, object);
}

// Of a Job, PyTorchJob, RayCluster or whatever else the groups were made for, of any kind.
base::Result<Targets> GroupsOfOwner(kube::Client& client, const std::string& ns,
                                    std::string_view name) {
  COPPICE_ASSIGN(const std::vector<Value> groups, ListOrNone(client, api::kPodGroups, ns));
  Targets targets;
  for (const Value& group : groups) {
    for (const Value& owner : group["metadata"]["ownerReferences"].Items()) {
      if (owner["name"].AsString() != name) continue;
      targets.push_back(TargetOf(group));
      break;
    }
  }
  return targets;
}

// Directly, or as a Deployment does by a ReplicaSet.
bool IsMadeBy(const Value& pod, std::string_view name) {
  const std::string_view hash = kube::Label(pod, "pod-template-hash");
  for (const Value& owner : pod["metadata"]["ownerReferences"].Items()) {
    if (owner["name"].AsString() == name) return true;
    if (!hash.empty() && owner["name"].AsString() == fmt::format("{}-{}", name, hash)) return true;
  }
  return false;
}

// The pods that an owner has made, where no group is its own.
base::Result<Targets> PodsOfOwner(kube::Client& client, const std::string& ns,
                                  std::string_view name) {
  COPPICE_ASSIGN(const std::vector<Value> pods, ListOrNone(client, api::kPods, ns));
  Targets targets;
  for (const Value& pod : pods) {
    if (!IsMadeBy(pod, name)) continue;
    COPPICE_ASSIGN(const Targets of_pod, GroupsOfPod(client, pod));
    targets.insert(targets.end(), of_pod.begin(), of_pod.end());
  }
  return targets;
}

// A group may be found by its pod and by its owner; once is enough.
void AddNew(const Targets& more, Targets& targets) {
  for (const WhyTarget& target : more) {
    const bool known = std::any_of(targets.begin(), targets.end(), [&](const WhyTarget& other) {
      return !target.group.name.empty() && other.group == target.group;
    });
    if (!known) targets.push_back(target);
  }
}

// Of everything that is called so: a set, a Job and a pod may share a name.
base::Result<Targets> FindNamed(kube::Client& client, const std::string& ns,
                                const std::string& name) {
  Targets targets;
  bool exists = false;
  for (const Kind& kind : kKinds) {
    const auto object = client.Get(kind.resource, {ns, name});
    if (object.Is(base::ErrorCode::kNotFound)) continue;
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

base::Result<Targets> FindGroups(kube::Client& client, const std::string& ns,
                                 const std::string& target) {
  const size_t slash = target.find('/');
  if (slash == std::string::npos) return FindNamed(client, ns, target);
  const std::string_view prefix = std::string_view(target).substr(0, slash);
  const std::string name = target.substr(slash + 1);
  for (const Kind& kind : kKinds) {
    if (prefix != kind.name) continue;
    const auto object = client.Get(kind.resource, {ns, name});
    if (object) return GroupsOf(client, kind.resource, *object);
    if (!object.Is(base::ErrorCode::kNotFound)) return object.error();
    return base::NotFound(
        fmt::format("there is no {} called \"{}\" in namespace {}", kind.name, name, ns));
  }
  return base::InvalidArgument(fmt::format(
      "\"{}\" is neither a name nor set/NAME, gang/NAME, group/NAME or pod/NAME", target));
}

}  // namespace coppice::cli
