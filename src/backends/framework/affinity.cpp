#include "backends/framework/ladder.h"
#include "backends/model/labels.h"

namespace coppice::backends {
namespace {

using json::Value;

int Weight(ScopeKind kind) {
  return kind == ScopeKind::kGang ? 50 : kind == ScopeKind::kConfig ? 75 : 100;
}

Value MatchLabels(std::initializer_list<std::pair<std::string_view, Value>> members) {
  return Value::Object({{"matchLabels", Value::Object(members)}});
}

// The pods of a config: one replica of a scaling group, or its groups by name when they come from
// nowhere known.
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
  return Value::Object(
      {{"matchExpressions",
        Value::Array({Value::Object(
            {{"key", labels::kPodClique}, {"operator", "In"}, {"values", std::move(names)}})})}});
}

Value MakeTerm(const AffinityTerm& term, Value selector) {
  Value out = Value::Object({{"topologyKey", term.key}, {"labelSelector", std::move(selector)}});
  if (term.required) return out;
  return Value::Object({{"weight", Weight(term.scope.kind)}, {"podAffinityTerm", std::move(out)}});
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
    Value made = MakeTerm(term, selector ? selector(term.scope) : ScopeSelector(gang, term.scope));
    pod_spec.Mutable("affinity")
        .Mutable("podAffinity")
        .Mutable(term.required ? "requiredDuringSchedulingIgnoredDuringExecution"
                               : "preferredDuringSchedulingIgnoredDuringExecution")
        .Append(std::move(made));
  }
}

}  // namespace coppice::backends
