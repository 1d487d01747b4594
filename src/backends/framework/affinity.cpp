#include "api/edit/core.h"
#include "backends/framework/ladder.h"
#include "backends/model/labels.h"

namespace coppice::backends {
namespace {

using json::Value;

int Weight(ScopeKind kind) {
  return kind == ScopeKind::kGang ? 50 : kind == ScopeKind::kConfig ? 75 : 100;
}

Value MatchLabels(std::initializer_list<std::pair<std::string_view, Value>> members) {
  Value selector;
  edit::meta::LabelSelector(selector).set_matchLabels(Value::Object(members));
  return selector;
}

// The pods of a config: one replica of a scaling group, or its groups by name if their scaling
// group is unknown.
Value ConfigSelector(const PodGangInfo& gang, const Scope& scope) {
  Value names = Value::Array();
  for (const PodGroupInfo& group : gang.pod_groups) {
    if (!Covers(gang, scope, group.name)) continue;
    if (!group.scaling_group.empty()) {
      return MatchLabels(
          {{labels::kScalingGroup, group.scaling_group},
           {labels::kScalingGroupReplica, std::to_string(group.scaling_group_replica)}});
    }
    names.Append(group.name);
  }
  Value selector;
  edit::meta::LabelSelector(selector)
      .add_matchExpressions()
      .set_key(labels::kPodClique)
      .set_operator_("In")
      .set_values(std::move(names));
  return selector;
}

// Adds a term to the affinity; the caller sets its key and selector.
edit::core::PodAffinityTerm NewTerm(const AffinityTerm& term, edit::core::PodAffinity affinity) {
  if (term.required) return affinity.add_requiredDuringSchedulingIgnoredDuringExecution();
  const auto preferred = affinity.add_preferredDuringSchedulingIgnoredDuringExecution();
  preferred.set_weight(Weight(term.scope.kind));
  return preferred.podAffinityTerm();
}

}  // namespace

Value ScopeSelector(const PodGangInfo& gang, const Scope& scope) {
  if (scope.kind == ScopeKind::kGang) return MatchLabels({{labels::kPodGang, scope.name}});
  if (scope.kind == ScopeKind::kGroup) return MatchLabels({{labels::kPodClique, scope.name}});
  return ConfigSelector(gang, scope);
}

void AddPodAffinity(const PodGangInfo& gang, const TopologyPlan& plan, std::string_view group,
                    Value& pod_spec, const SelectorFunction& selector) {
  for (const AffinityTerm& term : plan.affinity) {
    if (!Covers(gang, term.scope, group)) continue;
    NewTerm(term, edit::core::PodSpec(pod_spec).affinity().podAffinity())
        .set_topologyKey(term.key)
        .set_labelSelector(selector ? selector(term.scope) : ScopeSelector(gang, term.scope));
  }
}

}  // namespace coppice::backends
