#include "backends/gangs/gang_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "api/view/grove.h"
#include "backends/model/labels.h"

namespace coppice::backends {
namespace {

using json::Value;
using view::grove::PodCliqueSet;
using view::grove::PodCliqueTemplate;
using view::grove::ScalingGroupConfig;

// The domains of a user's constraint as node label keys.
PackConstraint Resolve(view::grove::TopologyConstraint constraint, const TopologyLevels& levels) {
  const view::grove::TopologyPack pack = constraint.pack();
  return {levels.KeyOf(pack.has_required() ? pack.required() : constraint.packDomain()),
          levels.KeyOf(pack.preferred())};
}

// Of a scaling group or a clique.
template <typename Owner>
int64_t MinAvailable(Owner owner, int64_t fallback) {
  return owner.has_minAvailable() ? owner.minAvailable() : fallback;
}

class Builder {
 public:
  Builder(PodCliqueSet set, const GangBuildInput& input)
      : set_(set), tmpl_(set.spec().template_()), input_(input), name_(set.metadata().name()) {
    for (const ScalingGroupConfig group : tmpl_.podCliqueScalingGroups()) {
      for (const std::string_view clique : group.cliqueNames()) grouped_.emplace(clique);
    }
  }

  std::vector<PodGangInfo> Build() const {
    std::vector<PodGangInfo> gangs;
    const int64_t count = set_.spec().replicas();
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
    for (const ScalingGroupConfig group : tmpl_.podCliqueScalingGroups()) {
      for (int64_t j = MinAvailable(group, 1); j < Replicas(group, i); ++j) {
        gangs.push_back(ScaledGang(group, i, j));
      }
    }
  }

  std::string ReplicaName(int64_t i) const { return fmt::format("{}-{}", name_, i); }
  std::string GroupName(ScalingGroupConfig group, int64_t i) const {
    return fmt::format("{}-{}-{}", name_, i, group.name());
  }

  int64_t Replicas(ScalingGroupConfig group, int64_t i) const {
    const auto live = input_.scaling_group_replicas.find(GroupName(group, i));
    if (live != input_.scaling_group_replicas.end()) return live->second;
    return group.has_replicas() ? group.replicas() : 1;
  }

  PodCliqueTemplate CliqueTemplate(std::string_view name) const {
    static const Value kNone;
    for (const PodCliqueTemplate clique : tmpl_.cliques()) {
      if (clique.name() == name) return clique;
    }
    return PodCliqueTemplate(kNone);
  }

  PodGangInfo NewGang(std::string name) const {
    PodGangInfo gang;
    gang.name = std::move(name);
    gang.ns = set_.metadata().namespace_();
    gang.priority_class_name = tmpl_.priorityClassName();
    gang.topology = Resolve(tmpl_.topologyConstraint(), input_.levels);
    CopyForeign(set_.metadata().labels().Json(), gang.labels);
    CopyForeign(set_.metadata().annotations().Json(), gang.annotations);
    return gang;
  }

  // Copies the set's own metadata to its gangs, except keys under our prefix.
  static void CopyForeign(const Value& from, Value& to) {
    for (const json::Member& member : from.Members()) {
      if (member.name().starts_with(labels::kGroveDomain)) continue;
      to.Set(member.name(), member.value);
    }
  }

  PodGroupInfo NewGroup(std::string name, PodCliqueTemplate clique) const {
    PodGroupInfo group;
    group.name = std::move(name);
    group.clique_template = clique.name();
    group.replicas = clique.spec().replicas();
    group.min_replicas = MinAvailable(clique.spec(), group.replicas);
    group.template_min_replicas = group.min_replicas;
    group.pod_spec = clique.spec().podSpec().Json();
    group.labels = clique.labels().Json();
    group.annotations = clique.annotations().Json();
    group.topology = Resolve(clique.topologyConstraint(), input_.levels);
    return group;
  }

  PodGangInfo BaseGang(int64_t i) const {
    PodGangInfo gang = NewGang(ReplicaName(i));
    for (const PodCliqueTemplate clique : tmpl_.cliques()) {
      const std::string_view name = clique.name();
      if (grouped_.contains(name)) continue;
      gang.pod_groups.push_back(NewGroup(fmt::format("{}-{}", ReplicaName(i), name), clique));
    }
    for (const ScalingGroupConfig group : tmpl_.podCliqueScalingGroups()) {
      for (int64_t j = 0; j < MinAvailable(group, 1); ++j) AddGroupReplica(group, i, j, gang);
    }
    Finish(gang, i);
    return gang;
  }

  PodGangInfo ScaledGang(ScalingGroupConfig group, int64_t i, int64_t j) const {
    PodGangInfo gang =
        NewGang(fmt::format("{}-{}", GroupName(group, i), j - MinAvailable(group, 1)));
    gang.base_gang = ReplicaName(i);
    const PackConstraint own = Resolve(group.topologyConstraint(), input_.levels);
    if (!own.empty()) gang.topology = own;
    AddGroups(group, i, j, gang);
    Finish(gang, i);
    return gang;
  }

  void AddGroups(ScalingGroupConfig group, int64_t i, int64_t j, PodGangInfo& gang) const {
    for (const std::string_view clique : group.cliqueNames()) {
      const std::string name = fmt::format("{}-{}-{}", GroupName(group, i), j, clique);
      gang.pod_groups.push_back(NewGroup(name, CliqueTemplate(clique)));
      gang.pod_groups.back().scaling_group = GroupName(group, i);
      gang.pod_groups.back().scaling_group_replica = j;
    }
  }

  void AddGroupReplica(ScalingGroupConfig group, int64_t i, int64_t j, PodGangInfo& gang) const {
    const size_t first = gang.pod_groups.size();
    AddGroups(group, i, j, gang);
    const PackConstraint own = Resolve(group.topologyConstraint(), input_.levels);
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

  const PodCliqueSet set_;
  const view::grove::PodCliqueSetTemplate tmpl_;
  const GangBuildInput& input_;
  const std::string name_;
  std::set<std::string, std::less<>> grouped_;
};

// The part of `name` after "<prefix>-<number>-"; "" if it has another form. Stores the number.
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

bool Contains(view::List<std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Finds the template of a group `<set>-<i>-[<scaling group>-<j>-]<clique>`.
void FindTemplate(PodCliqueSet set, PodGroupInfo& group) {
  int64_t replica = 0;
  const std::string_view set_name = set.metadata().name();
  const std::string_view local = AfterIndex(group.name, set_name, replica);
  for (const ScalingGroupConfig scaling : set.spec().template_().podCliqueScalingGroups()) {
    int64_t index = 0;
    const std::string_view clique = AfterIndex(local, scaling.name(), index);
    if (clique.empty() || !Contains(scaling.cliqueNames(), clique)) continue;
    group.clique_template = clique;
    group.scaling_group = fmt::format("{}-{}-{}", set_name, replica, scaling.name());
    group.scaling_group_replica = index;
    return;
  }
  group.clique_template = local;
}

}  // namespace

std::vector<PodGangInfo> BuildGangs(const Value& pod_clique_set, const GangBuildInput& input) {
  return Builder(PodCliqueSet(pod_clique_set), input).Build();
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
  const PodCliqueSet set(pod_clique_set);
  for (PodGroupInfo& group : gang.pod_groups) {
    FindTemplate(set, group);
    for (const PodCliqueTemplate clique : set.spec().template_().cliques()) {
      if (clique.name() != group.clique_template) continue;
      group.pod_spec = clique.spec().podSpec().Json();
      group.labels = clique.labels().Json();
      group.annotations = clique.annotations().Json();
      const int64_t replicas = clique.spec().replicas();
      group.replicas = std::max(group.replicas, replicas);
      group.template_min_replicas = MinAvailable(clique.spec(), replicas);
    }
  }
}

}  // namespace coppice::backends
