#include "operator/common/clique_builder.h"

#include <fmt/format.h>

#include "api/edit/grove.h"
#include "api/grove/convert.h"
#include "api/key/grove.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/environment.h"
#include "operator/common/hash.h"
#include "operator/common/mnnvl.h"
#include "operator/common/names.h"
#include "operator/common/startup.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueTemplate;

void AddMemberLabels(const PodCliqueSet& set, int replica, const MemberOf& member,
                     StringMap& labels) {
  const std::string group = std::string(kube::Name(member.group));
  const int min_available = member.config.MinAvailable();
  labels[std::string(labels::kComponent)] = kComponentMemberClique;
  labels[std::string(labels::kScalingGroup)] = group;
  labels[std::string(labels::kScalingGroupReplica)] = fmt::format("{}", member.replica);
  labels[std::string(labels::kPodGang)] =
      names::GangOfMember(set.name(), replica, group, member.replica, min_available);
  if (member.replica >= min_available) {
    labels[std::string(labels::kBaseGang)] = names::Replica(set.name(), replica);
  }
}

StringMap Labels(const PodCliqueSet& set, int replica, const PodCliqueTemplate& clique,
                 const std::optional<MemberOf>& member, const std::string& name) {
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(labels::kComponent)] = kComponentStandaloneClique;
  labels[std::string(labels::kAppName)] = name;
  labels[std::string(labels::kSetReplica)] = fmt::format("{}", replica);
  labels[std::string(labels::kPodGang)] = names::Replica(set.name(), replica);
  labels[std::string(labels::kTemplateHash)] = PodTemplateHash(clique, set);
  if (member) AddMemberLabels(set, replica, *member, labels);
  StringMap from_template = clique.labels;
  labels.merge(from_template);
  return labels;
}

int TemplatePods(const PodCliqueSet& set, const api::grove::ScalingGroupConfig& group) {
  int pods = 0;
  for (const std::string& name : group.cliqueNames) {
    if (const auto* clique = set.spec.template_.FindClique(name)) pods += clique->spec.replicas;
  }
  return pods;
}

std::vector<json::Value> GroupEnvironment(const PodCliqueSet& set, const MemberOf& member) {
  return {
      EnvFromLabel("GROVE_PCSG_NAME", labels::kScalingGroup),
      EnvValue("GROVE_PCSG_TEMPLATE_NUM_PODS", fmt::format("{}", TemplatePods(set, member.config))),
      EnvFromLabel("GROVE_PCSG_INDEX", labels::kScalingGroupReplica)};
}

json::Value PodSpec(const Config& config, const PodCliqueSet& set, int replica,
                    const PodCliqueTemplate& clique, const std::optional<MemberOf>& member) {
  json::Value pod_spec = clique.spec.podSpec;
  if (member) PrependEnvironment(pod_spec, GroupEnvironment(set, *member));
  if (!config.auto_mnnvl) return pod_spec;
  const std::string group =
      MnnvlGroup(clique.annotations, member ? AnnotationsOf(member->group) : StringMap(),
                 AnnotationsOf(set.object));
  if (!group.empty()) {
    InjectMnnvlClaim(pod_spec, names::ComputeDomain(set.name(), replica, group));
  }
  return pod_spec;
}

json::Value Spec(const Config& config, const PodCliqueSet& set, int replica,
                 const PodCliqueTemplate& clique, const std::optional<MemberOf>& member,
                 const std::optional<json::Value>& existing) {
  api::grove::PodCliqueSpec spec = clique.spec;
  spec.podSpec = PodSpec(config, set, replica, clique, member);
  CliquePosition position{.replica = replica};
  if (member) position.group_replica = member->replica;
  spec.startsAfter = StartsAfter(set.name(), set.spec.template_, clique.name, position);
  json::Value written = api::grove::Write(spec);
  using Key = key::grove::PodCliqueSpec;
  written.SetDefault(Key::roleName, "");  // Required, though it may be empty.
  if (existing) {
    written.Set(Key::replicas, view::grove::PodClique(*existing).spec().Json()[Key::replicas]);
  }
  return written;
}

}  // namespace

json::Value BuildPodClique(const Config& config, const PodCliqueSet& set, int replica,
                           const PodCliqueTemplate& clique, const std::optional<MemberOf>& member,
                           const std::optional<json::Value>& existing) {
  const std::string name =
      member ? names::MemberClique(kube::Name(member->group), member->replica, clique.name)
             : names::StandaloneClique(set.name(), replica, clique.name);
  json::Value object = existing ? *existing : kube::NewObject(api::kPodCliques, set.ns(), name);
  StringMap annotations = clique.annotations;
  annotations.erase(std::string(labels::kTopologyName));
  SetOwnMetadata(config, Labels(set, replica, clique, member, name), annotations, object);
  SetController(object, member ? member->group : set.object);
  EnsureFinalizer(object, api::finalizers::kPodClique);
  edit::grove::PodClique(object).set_spec(Spec(config, set, replica, clique, member, existing));
  return object;
}

}  // namespace coppice::operators
