#include "backends/gangs/gang_builder.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

// Effective domains of a constraint as a user writes it, translated to node label keys.
TopologyConstraint Resolve(const Value& constraint, const TopologyLevels& levels) {
  const std::string required =
      constraint["pack"]["required"].ToString(constraint["packDomain"].AsString());
  const std::string preferred = constraint["pack"]["preferred"].ToString();
  return {levels.KeyOf(required), levels.KeyOf(preferred)};
}

int64_t MinAvailable(const Value& owner, int64_t fallback) {
  return owner.Has("minAvailable") ? owner["minAvailable"].AsInt() : fallback;
}

class Builder {
 public:
  Builder(const Value& set, const GangBuildInput& input)
      : set_(set), tmpl_(set["spec"]["template"]), input_(input), name_(kube::Name(set)) {
    for (const Value& group : tmpl_["podCliqueScalingGroups"].Items()) {
      for (const Value& clique : group["cliqueNames"].Items()) grouped_.insert(clique.ToString());
    }
  }

  std::vector<PodGangInfo> Build() const {
    std::vector<PodGangInfo> gangs;
    const int64_t count = set_["spec"]["replicas"].AsInt();
    if (!input_.replicas) {
      for (int64_t i = 0; i < count; ++i) AddReplica(i, gangs);
      return gangs;
    }
    for (const int i : *input_.replicas) {
      if (i < count) AddReplica(i, gangs);
    }
    return gangs;
  }

 private:
  void AddReplica(int64_t i, std::vector<PodGangInfo>& gangs) const {
    gangs.push_back(BaseGang(i));
    for (const Value& group : tmpl_["podCliqueScalingGroups"].Items()) {
      for (int64_t j = MinAvailable(group, 1); j < Replicas(group, i); ++j) {
        gangs.push_back(ScaledGang(group, i, j));
      }
    }
  }

  std::string ReplicaName(int64_t i) const { return fmt::format("{}-{}", name_, i); }
  std::string GroupName(const Value& group, int64_t i) const {
    return fmt::format("{}-{}-{}", name_, i, group["name"].AsString());
  }

  int64_t Replicas(const Value& group, int64_t i) const {
    const auto live = input_.scaling_group_replicas.find(GroupName(group, i));
    if (live != input_.scaling_group_replicas.end()) return live->second;
    return group.Has("replicas") ? group["replicas"].AsInt() : 1;
  }

  const Value& CliqueTemplate(std::string_view name) const {
    static const Value kNone;
    for (const Value& clique : tmpl_["cliques"].Items()) {
      if (clique["name"].AsString() == name) return clique;
    }
    return kNone;
  }

  PodGangInfo NewGang(std::string name) const {
    PodGangInfo gang;
    gang.name = std::move(name);
    gang.ns = kube::Namespace(set_);
    gang.priority_class_name = tmpl_["priorityClassName"].ToString();
    gang.topology = Resolve(tmpl_["topologyConstraint"], input_.levels);
    CopyForeign(set_["metadata"]["labels"], gang.labels);
    CopyForeign(set_["metadata"]["annotations"], gang.annotations);
    return gang;
  }

  // The set's own metadata reaches its gangs, except for what is under our prefix.
  static void CopyForeign(const Value& from, Value& to) {
    for (const json::Member& member : from.Members()) {
      if (member.name().starts_with("grove.io/")) continue;
      to.Set(member.name(), member.value);
    }
  }

  PodGroupInfo NewGroup(std::string name, const Value& clique) const {
    const Value& spec = clique["spec"];
    PodGroupInfo group;
    group.name = std::move(name);
    group.clique_template = clique["name"].ToString();
    group.replicas = spec["replicas"].AsInt();
    group.min_replicas = MinAvailable(spec, group.replicas);
    group.template_min_replicas = group.min_replicas;
    group.pod_spec = spec["podSpec"];
    group.labels = clique["labels"];
    group.annotations = clique["annotations"];
    group.topology = Resolve(clique["topologyConstraint"], input_.levels);
    return group;
  }

  PodGangInfo BaseGang(int64_t i) const {
    PodGangInfo gang = NewGang(ReplicaName(i));
    for (const Value& clique : tmpl_["cliques"].Items()) {
      const std::string_view name = clique["name"].AsString();
      if (grouped_.contains(name)) continue;
      gang.pod_groups.push_back(NewGroup(fmt::format("{}-{}", ReplicaName(i), name), clique));
    }
    for (const Value& group : tmpl_["podCliqueScalingGroups"].Items()) {
      for (int64_t j = 0; j < MinAvailable(group, 1); ++j) AddGroupReplica(group, i, j, gang);
    }
    Finish(gang, i);
    return gang;
  }

  PodGangInfo ScaledGang(const Value& group, int64_t i, int64_t j) const {
    PodGangInfo gang =
        NewGang(fmt::format("{}-{}", GroupName(group, i), j - MinAvailable(group, 1)));
    gang.base_gang = ReplicaName(i);
    const TopologyConstraint own = Resolve(group["topologyConstraint"], input_.levels);
    if (!own.empty()) gang.topology = own;
    AddGroups(group, i, j, gang);
    Finish(gang, i);
    return gang;
  }

  void AddGroups(const Value& group, int64_t i, int64_t j, PodGangInfo& gang) const {
    for (const Value& clique : group["cliqueNames"].Items()) {
      const std::string name = fmt::format("{}-{}-{}", GroupName(group, i), j, clique.AsString());
      gang.pod_groups.push_back(NewGroup(name, CliqueTemplate(clique.AsString())));
      gang.pod_groups.back().scaling_group = GroupName(group, i);
      gang.pod_groups.back().scaling_group_replica = j;
    }
  }

  void AddGroupReplica(const Value& group, int64_t i, int64_t j, PodGangInfo& gang) const {
    const size_t first = gang.pod_groups.size();
    AddGroups(group, i, j, gang);
    const TopologyConstraint own = Resolve(group["topologyConstraint"], input_.levels);
    if (own.empty()) return;
    TopologyGroupConfig config{fmt::format("{}-{}", GroupName(group, i), j), {}, own};
    for (size_t g = first; g < gang.pod_groups.size(); ++g) {
      config.pod_group_names.push_back(gang.pod_groups[g].name);
    }
    gang.group_configs.push_back(std::move(config));
  }

  void Finish(PodGangInfo& gang, int64_t i) const {
    gang.labels.Set(labels::kSetReplica, std::to_string(i));
    if (!gang.base_gang.empty()) gang.labels.Set(labels::kBaseGang, gang.base_gang);
    bool constrained = !gang.topology.empty() || !gang.group_configs.empty();
    for (const PodGroupInfo& group : gang.pod_groups) constrained |= !group.topology.empty();
    if (!constrained) return;
    gang.topology_name = input_.levels.name;
    gang.annotations.Set(labels::kTopologyName, gang.topology_name);
  }

  const Value& set_;
  const Value& tmpl_;
  const GangBuildInput& input_;
  const std::string name_;
  std::set<std::string, std::less<>> grouped_;
};

// The part of `name` behind "<prefix>-<number>-"; "" when it has another form. Stores the number.
std::string_view AfterIndex(std::string_view name, std::string_view prefix, int64_t& index) {
  if (!name.starts_with(prefix) || name.size() <= prefix.size() || name[prefix.size()] != '-') {
    return {};
  }
  std::string_view rest = name.substr(prefix.size() + 1);
  const size_t dash = rest.find('-');
  if (dash == std::string_view::npos || dash == 0) return {};
  index = 0;
  for (const char c : rest.substr(0, dash)) {
    if (c < '0' || c > '9' || index > 100'000'000) return {};
    index = index * 10 + (c - '0');
  }
  return rest.substr(dash + 1);
}

bool Contains(const Value& names, std::string_view name) {
  for (const Value& item : names.Items()) {
    if (item.AsString() == name) return true;
  }
  return false;
}

// Names the template behind a group `<set>-<i>-[<scaling group>-<j>-]<clique>`.
void FindTemplate(const Value& set, PodGroupInfo& group) {
  int64_t replica = 0;
  const std::string_view local = AfterIndex(group.name, kube::Name(set), replica);
  const Value& tmpl = set["spec"]["template"];
  for (const Value& scaling : tmpl["podCliqueScalingGroups"].Items()) {
    int64_t index = 0;
    const std::string_view clique = AfterIndex(local, scaling["name"].AsString(), index);
    if (clique.empty() || !Contains(scaling["cliqueNames"], clique)) continue;
    group.clique_template = clique;
    group.scaling_group =
        fmt::format("{}-{}-{}", kube::Name(set), replica, scaling["name"].AsString());
    group.scaling_group_replica = index;
    return;
  }
  group.clique_template = local;
}

}  // namespace

std::vector<PodGangInfo> BuildGangs(const Value& pod_clique_set, const GangBuildInput& input) {
  return Builder(pod_clique_set, input).Build();
}

std::optional<int> ReplicaOfGang(std::string_view set, std::string_view gang) {
  if (!gang.starts_with(set) || gang.size() <= set.size() || gang[set.size()] != '-') return {};
  const char* end = gang.data() + gang.size();
  int replica = 0;
  const auto [rest, error] = std::from_chars(gang.data() + set.size() + 1, end, replica);
  if (error != std::errc() || replica < 0 || (rest != end && *rest != '-')) return {};
  return replica;
}

void AddTemplates(const Value& pod_clique_set, PodGangInfo& gang) {
  for (PodGroupInfo& group : gang.pod_groups) {
    FindTemplate(pod_clique_set, group);
    for (const Value& clique : pod_clique_set["spec"]["template"]["cliques"].Items()) {
      if (clique["name"].AsString() != group.clique_template) continue;
      group.pod_spec = clique["spec"]["podSpec"];
      group.labels = clique["labels"];
      group.annotations = clique["annotations"];
      const int64_t replicas = clique["spec"]["replicas"].AsInt();
      group.replicas = std::max(group.replicas, replicas);
      group.template_min_replicas = MinAvailable(clique["spec"], replicas);
    }
  }
}

}  // namespace coppice::backends
