#include "backends/gangs/gang_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/gangs/gang_builder.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;
using view::grove::PodCliqueSet;

Value OwningSet(const ClusterView& cluster, const Value& pod_gang) {
  const view::meta::OwnerReference owner(kube::ControllerOwner(pod_gang));
  if (owner.kind() != api::kPodCliqueSets.kind) return {};
  return cluster
      .Get(api::kPodCliqueSets, {std::string(kube::Namespace(pod_gang)), std::string(owner.name())})
      .value_or(Value());
}

// Live replicas of the scaling groups in one replica of the set.
std::map<std::string, int64_t> GroupReplicas(const ClusterView& cluster, PodCliqueSet set,
                                             int replica) {
  std::map<std::string, int64_t> replicas;
  for (const auto config : set.spec().template_().podCliqueScalingGroups()) {
    const std::string name = fmt::format("{}-{}-{}", set.metadata().name(), replica, config.name());
    const auto group =
        cluster.Get(api::kPodCliqueScalingGroups, {std::string(set.metadata().namespace_()), name});
    if (!group) continue;
    // Above the limit, no gangs are created.
    const int64_t wanted = view::grove::PodCliqueScalingGroup(*group).spec().replicas();
    replicas[name] = std::min<int64_t>(wanted, kMostReplicas);
  }
  return replicas;
}

// An autoscaler or a user may have scaled a clique.
void AddSizes(const ClusterView& cluster, PodGangInfo& gang) {
  for (PodGroupInfo& group : gang.pod_groups) {
    const auto clique = cluster.Get(api::kPodCliques, {gang.ns, group.name});
    if (clique) group.replicas = view::grove::PodClique(*clique).spec().replicas();
  }
}

}  // namespace

std::string TopologyNameOf(const Value& set) {
  const view::grove::PodCliqueSetTemplate tmpl = PodCliqueSet(set).spec().template_();
  std::string_view name = tmpl.topologyConstraint().topologyName();
  for (const auto group : tmpl.podCliqueScalingGroups()) {
    if (name.empty()) name = group.topologyConstraint().topologyName();
  }
  for (const auto clique : tmpl.cliques()) {
    if (name.empty()) name = clique.topologyConstraint().topologyName();
  }
  return std::string(name);
}

GangInput GangReader::Prepare(PodGangInfo gang, const Value& set, const Selection& selection,
                              const CompatibilityPolicy& policy) const {
  GangInput input;
  input.cluster = std::make_shared<CacheView>(state_);
  input.capabilities = state_.capabilities();
  if (!gang.topology_name.empty()) {
    input.topology_binding =
        input.cluster->Get(api::kClusterTopologyBindings, {"", gang.topology_name})
            .value_or(Value());
    input.topology = LevelsFromBinding(input.topology_binding);
  }
  input.gang = std::move(gang);
  input.set = set;
  input.profile = selection.profile;
  input.policy = &policy;
  return input;
}

GangInput GangReader::Read(const Value& pod_gang, const Selection& selection,
                           const CompatibilityPolicy& policy) const {
  const Value set = OwningSet(CacheView(state_), pod_gang);
  PodGangInfo gang = GangFromObject(pod_gang);
  if (set.IsObject()) AddTemplates(set, gang);
  AddSizes(CacheView(state_), gang);
  GangInput input = Prepare(std::move(gang), set, selection, policy);
  input.status = view::grove::PodGang(pod_gang).status().Json();
  return input;
}

GangInput GangReader::ReadByName(const Value& set, const std::string& gang,
                                 const Selection& selection,
                                 const CompatibilityPolicy& policy) const {
  const CacheView cluster(state_);
  const std::string ns(kube::Namespace(set));
  if (const auto stored = cluster.Get(api::kPodGangs, {ns, gang})) {
    PodGangInfo info = GangFromObject(*stored);
    AddTemplates(set, info);
    AddSizes(cluster, info);
    return Prepare(std::move(info), set, selection, policy);
  }
  GangBuildInput build;
  build.levels = LevelsFromBinding(
      cluster.Get(api::kClusterTopologyBindings, {"", TopologyNameOf(set)}).value_or(Value()));
  const auto replica = ReplicaOfGang(kube::Name(set), gang);
  if (replica) {
    build.replicas = {*replica};
    build.scaling_group_replicas = GroupReplicas(cluster, PodCliqueSet(set), *replica);
  }
  for (PodGangInfo& planned : BuildGangs(set, build)) {
    if (planned.name == gang) return Prepare(std::move(planned), set, selection, policy);
  }
  PodGangInfo unknown;
  unknown.name = gang;
  unknown.ns = ns;
  return Prepare(std::move(unknown), set, selection, policy);
}

std::vector<GangInput> GangReader::ReadPlanned(const Value& set, const TopologyLevels& levels,
                                               const Selection& selection,
                                               const CompatibilityPolicy& policy) const {
  std::vector<GangInput> inputs;
  for (PodGangInfo& gang : BuildGangs(set, {.levels = levels, .scaling_group_replicas = {}})) {
    inputs.push_back(Prepare(std::move(gang), set, selection, policy));
    inputs.back().topology = levels;
  }
  return inputs;
}

}  // namespace coppice::backends
