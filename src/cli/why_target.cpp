#include "cli/why_target.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/scheduler/foreign_groups.h"

namespace coppice::cli {
namespace {

using json::Value;
using Keys = std::vector<api::ObjectKey>;

struct Kind {
  std::string_view prefix;
  const api::Resource& resource;
};

const Kind kKinds[] = {{"set/", api::kPodCliqueSets},
                       {"gang/", api::kPodGangs},
                       {"group/", api::kPodGroups},
                       {"pod/", api::kPods}};

base::Result<Keys> OwnedGroups(kube::Client& client, const std::string& ns, std::string_view uid) {
  COPPICE_ASSIGN(const kube::ObjectList groups, client.List(api::kPodGroups, {.ns = ns}));
  Keys keys;
  for (const Value& group : groups.items) {
    if (kube::IsOwnedBy(group, uid)) keys.push_back(kube::KeyOf(group));
  }
  return keys;
}

// Its PodGroups; a gang of grove-scheduler has none and is a group by itself.
base::Result<Keys> GroupsOfGang(kube::Client& client, const Value& gang) {
  const std::string ns(kube::Namespace(gang));
  COPPICE_ASSIGN(Keys keys, OwnedGroups(client, ns, kube::Uid(gang)));
  if (keys.empty()) {
    keys.push_back({ns, services::scheduler::PodGangGroupName(ns, kube::Name(gang))});
  }
  return keys;
}

base::Result<Keys> GroupsOfSet(kube::Client& client, const Value& set) {
  const std::string ns(kube::Namespace(set));
  COPPICE_ASSIGN(const kube::ObjectList gangs, client.List(api::kPodGangs, {.ns = ns}));
  Keys keys;
  for (const Value& gang : gangs.items) {
    if (!kube::IsOwnedBy(gang, kube::Uid(set))) continue;
    COPPICE_ASSIGN(const Keys owned, GroupsOfGang(client, gang));
    keys.insert(keys.end(), owned.begin(), owned.end());
  }
  return keys;
}

base::Result<Keys> GroupsOf(kube::Client& client, const api::Resource& resource,
                            const Value& object) {
  const std::string ns(kube::Namespace(object));
  if (resource == api::kPodCliqueSets) return GroupsOfSet(client, object);
  if (resource == api::kPodGangs) return GroupsOfGang(client, object);
  if (resource == api::kPodGroups) return Keys{kube::KeyOf(object)};
  const std::string group(kube::Annotation(object, "pod-group-name"));
  if (!group.empty()) return Keys{{ns, group}};
  const std::string_view gang = kube::Label(object, "grove.io/podgang");
  if (gang.empty()) return Keys();
  return Keys{{ns, services::scheduler::PodGangGroupName(ns, gang)}};
}

}  // namespace

base::Result<Keys> FindGroups(kube::Client& client, const std::string& ns,
                              const std::string& target) {
  for (const Kind& kind : kKinds) {
    const bool named = target.starts_with(kind.prefix);
    if (!named && target.find('/') != std::string::npos) continue;
    const std::string name = named ? target.substr(kind.prefix.size()) : target;
    const auto object = client.Get(kind.resource, {ns, name});
    if (object) return GroupsOf(client, kind.resource, *object);
    if (!object.Is(base::ErrorCode::kNotFound)) return object.error();
  }
  return base::NotFound(fmt::format(
      "there is no set, gang, PodGroup or pod called \"{}\" in namespace {}", target, ns));
}

}  // namespace coppice::cli
