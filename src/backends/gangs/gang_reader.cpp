#include "backends/gangs/gang_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/well_known.h"
#include "backends/gangs/gang_builder.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

Value OwningSet(const ClusterView& view, const Value& pod_gang) {
  const Value& owner = kube::ControllerOwner(pod_gang);
  if (kube::Kind(owner) != "PodCliqueSet") return {};
  return view
      .Get(api::kPodCliqueSets, {std::string(kube::Namespace(pod_gang)), owner["name"].ToString()})
      .value_or(Value());
}

// Live replicas of the scaling groups in one replica of the set.
std::map<std::string, int64_t> GroupReplicas(const ClusterView& view, const Value& set,
                                             int replica) {
  std::map<std::string, int64_t> replicas;
  for (const Value& config : set["spec"]["template"]["podCliqueScalingGroups"].Items()) {
    const std::string name =
        fmt::format("{}-{}-{}", kube::Name(set), replica, config["name"].AsString());
    const auto group =
        view.Get(api::kPodCliqueScalingGroups, {std::string(kube::Namespace(set)), name});
    // Of one that asks for more than is made there are none beyond those that have their gangs.
    if (group) {
      replicas[name] = std::min<int64_t>((*group)["spec"]["replicas"].AsInt(), kMostReplicas);
    }
  }
  return replicas;
}

// An autoscaler, or a person, may have given a clique another size than its template.
void AddSizes(const ClusterView& view, PodGangInfo& gang) {
  for (PodGroupInfo& group : gang.pod_groups) {
    const auto clique = view.Get(api::kPodCliques, {gang.ns, group.name});
    if (clique) group.replicas = (*clique)["spec"]["replicas"].AsInt();
  }
}

}  // namespace

std::string TopologyNameOf(const Value& set) {
  const Value& tmpl = set["spec"]["template"];
  std::string name = tmpl["topologyConstraint"]["topologyName"].ToString();
  for (const std::string_view list : {"podCliqueScalingGroups", "cliques"}) {
    for (const Value& item : tmpl[list].Items()) {
      if (name.empty()) name = item["topologyConstraint"]["topologyName"].ToString();
    }
  }
  return name;
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
  input.status = pod_gang["status"];
  return input;
}

GangInput GangReader::ReadByName(const Value& set, const std::string& gang,
                                 const Selection& selection,
                                 const CompatibilityPolicy& policy) const {
  const CacheView view(state_);
  const std::string ns(kube::Namespace(set));
  if (const auto stored = view.Get(api::kPodGangs, {ns, gang})) {
    PodGangInfo info = GangFromObject(*stored);
    AddTemplates(set, info);
    AddSizes(view, info);
    return Prepare(std::move(info), set, selection, policy);
  }
  GangBuildInput build;
  build.levels = LevelsFromBinding(
      view.Get(api::kClusterTopologyBindings, {"", TopologyNameOf(set)}).value_or(Value()));
  const auto replica = ReplicaOfGang(kube::Name(set), gang);
  if (replica) {
    build.replicas = {*replica};
    build.scaling_group_replicas = GroupReplicas(view, set, *replica);
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
