#include "cli/why_target.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"
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

// Its PodGroups; a gang of grove-scheduler has none and is a group by itself.
base::Result<Targets> GroupsOfGang(kube::Client& client, const Value& gang) {
  const std::string ns(kube::Namespace(gang));
  COPPICE_ASSIGN(const kube::ObjectList groups, client.List(api::kPodGroups, {.ns = ns}));
  Targets targets;
  for (const Value& group : groups.items) {
    if (kube::IsOwnedBy(group, kube::Uid(gang))) targets.push_back({kube::KeyOf(group), gang});
  }
  if (targets.empty()) {
    targets.push_back({{ns, services::scheduler::PodGangGroupName(ns, kube::Name(gang))}, gang});
  }
  return targets;
}

base::Result<Targets> GroupsOfSet(kube::Client& client, const Value& set) {
  const std::string ns(kube::Namespace(set));
  COPPICE_ASSIGN(const kube::ObjectList gangs, client.List(api::kPodGangs, {.ns = ns}));
  Targets targets;
  for (const Value& gang : gangs.items) {
    if (!kube::IsOwnedBy(gang, kube::Uid(set))) continue;
    COPPICE_ASSIGN(const Targets owned, GroupsOfGang(client, gang));
    targets.insert(targets.end(), owned.begin(), owned.end());
  }
  return targets;
}

base::Result<Targets> GroupsOfPod(kube::Client& client, const Value& pod) {
  const std::string ns(kube::Namespace(pod));
  const std::string group(kube::Annotation(pod, "pod-group-name"));
  if (!group.empty()) return Targets{{{ns, group}, {}}};
  const std::string name(kube::Label(pod, "grove.io/podgang"));
  if (name.empty()) return Targets();
  COPPICE_ASSIGN(const Value gang, client.Get(api::kPodGangs, {ns, name}));
  return GroupsOfGang(client, gang);
}

base::Result<Targets> GroupsOf(kube::Client& client, const api::Resource& resource,
                               const Value& object) {
  if (resource == api::kPodCliqueSets) return GroupsOfSet(client, object);
  if (resource == api::kPodGangs) return GroupsOfGang(client, object);
  if (resource == api::kPodGroups) return Targets{{kube::KeyOf(object), {}}};
  return GroupsOfPod(client, object);
}

// Of a Job, PyTorchJob, RayCluster or whatever else the groups were made for, of any kind.
base::Result<Targets> GroupsOfOwner(kube::Client& client, const std::string& ns,
                                    std::string_view name) {
  COPPICE_ASSIGN(const kube::ObjectList groups, client.List(api::kPodGroups, {.ns = ns}));
  Targets targets;
  for (const Value& group : groups.items) {
    for (const Value& owner : group["metadata"]["ownerReferences"].Items()) {
      if (owner["name"].AsString() != name) continue;
      targets.push_back({kube::KeyOf(group), {}});
      break;
    }
  }
  return targets;
}

base::Result<Targets> FindNamed(kube::Client& client, const std::string& ns,
                                const std::string& name) {
  for (const Kind& kind : kKinds) {
    const auto object = client.Get(kind.resource, {ns, name});
    if (object) return GroupsOf(client, kind.resource, *object);
    if (!object.Is(base::ErrorCode::kNotFound)) return object.error();
  }
  COPPICE_ASSIGN(Targets targets, GroupsOfOwner(client, ns, name));
  if (!targets.empty()) return targets;
  return base::NotFound(
      fmt::format("there is no set, gang, PodGroup, pod or owner of a PodGroup called \"{}\" in "
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
