#include "backends/framework/ladder.h"

#include <fmt/format.h>

namespace coppice::backends {
namespace {

using json::Value;

constexpr std::string_view kPack = ".topologyConstraint.packConstraint";

std::vector<Scope> AllScopes(const PodGangInfo& gang) {
  std::vector<Scope> scopes;
  scopes.push_back({ScopeKind::kGang, gang.name, "spec" + std::string(kPack), gang.topology});
  for (size_t i = 0; i < gang.group_configs.size(); ++i) {
    const TopologyGroupConfig& config = gang.group_configs[i];
    if (config.pod_group_names.empty()) continue;
    scopes.push_back({ScopeKind::kConfig, config.name,
                      fmt::format("spec.topologyConstraintGroupConfigs[{}]{}", i, kPack),
                      config.topology});
  }
  for (size_t i = 0; i < gang.pod_groups.size(); ++i) {
    scopes.push_back({ScopeKind::kGroup, gang.pod_groups[i].name,
                      fmt::format("spec.podgroups[{}]{}", i, kPack), gang.pod_groups[i].topology});
  }
  return scopes;
}

// The tightest level that the enclosing scopes already require.
std::string ParentRequired(const PodGangInfo& gang, const Scope& scope) {
  if (scope.kind == ScopeKind::kGang) return {};
  if (scope.kind == ScopeKind::kGroup) {
    const TopologyGroupConfig* config = gang.ConfigOf(scope.name);
    if (config != nullptr && !config->topology.required.empty()) return config->topology.required;
  }
  return gang.topology.required;
}

void DropRedundant(const GangInput& input, Scope& scope, std::vector<Outcome>* dropped) {
  const std::string parent = ParentRequired(input.gang, scope);
  PackConstraint& wishes = scope.wishes;
  if (!parent.empty() && IsNarrowerOrEqual(input.topology, parent, wishes.required)) {
    wishes.required.clear();
  }
  const std::string& limit = wishes.required.empty() ? parent : wishes.required;
  if (wishes.preferred.empty() || limit.empty()) return;
  if (!IsNarrowerOrEqual(input.topology, limit, wishes.preferred)) return;
  if (limit != wishes.preferred && dropped != nullptr) {
    dropped->push_back({Outcome::Kind::kDropped, scope.path + ".preferred", wishes.preferred,
                        "broader than required", /*quiet=*/true});
  }
  wishes.preferred.clear();
}

class Planner {
 public:
  Planner(const GangInput& input, const TopologySupport& support)
      : input_(input), support_(support) {}

  TopologyPlan Plan() {
    for (Scope& scope : ConstrainedScopes(input_, &plan_.outcomes)) {
      Scope native = scope;
      native.wishes = {};
      Walk(scope, /*required=*/true, native);
      Walk(scope, /*required=*/false, native);
      if (!native.wishes.empty()) plan_.native.push_back(std::move(native));
    }
    return std::move(plan_);
  }

 private:
  void Walk(const Scope& scope, bool required, Scope& native) {
    const std::string& key = required ? scope.wishes.required : scope.wishes.preferred;
    if (key.empty()) return;
    const Expressiveness expressiveness = support_.expressiveness(scope, required);
    if (expressiveness != Expressiveness::kNone && !CheckNodes(scope, required, key)) return;
    if (expressiveness == Expressiveness::kImplied) {
      Report(Outcome::Kind::kApproximated, scope, required, "Implied");
    }
    if (expressiveness == Expressiveness::kApproximated) {
      Report(Outcome::Kind::kApproximated, scope, required, support_.approximation);
    }
    if (expressiveness != Expressiveness::kNone) {
      (required ? native.wishes.required : native.wishes.preferred) = key;
      return;
    }
    Descend(scope, required, key);
  }

  bool CheckNodes(const Scope& scope, bool required, const std::string& key) {
    if (!input_.policy->ResolvesTopologyKeys() || !input_.cluster) return true;
    if (input_.cluster->AnyNodeHasLabel(key)) return true;
    Refuse(reasons::kTopologyUnresolved, scope, required,
           fmt::format("no schedulable node carries the label \"{}\"", key));
    return false;
  }

  Fallback Policy(const Scope& scope, bool required) const {
    if (!required) return input_.profile.Preferred();
    return scope.kind == ScopeKind::kGang ? input_.profile.RequiredGang()
                                          : input_.profile.RequiredGroup();
  }

  void Descend(const Scope& scope, bool required, const std::string& key) {
    const Fallback policy = Policy(scope, required);
    const bool honoured = required ? support_.affinity_required : support_.affinity_preferred;
    if (policy == Fallback::kPodAffinity && honoured) {
      plan_.affinity.push_back({scope, required, key});
      Report(Outcome::Kind::kApproximated, scope, required,
             required ? "PodAffinity, GreedyTopology" : "PodAffinity");
      return;
    }
    if (policy == Fallback::kDrop || (policy == Fallback::kPodAffinity && !required)) {
      Report(Outcome::Kind::kDropped, scope, required, "not expressible");
      return;
    }
    Refuse(reasons::kCapabilityMissing, scope, required, Advice(scope, required, key, honoured));
  }

  std::string Advice(const Scope& scope, bool required, const std::string& key,
                     bool honoured) const {
    const std::string_view field = !required                        ? "preferred"
                                   : scope.kind == ScopeKind::kGang ? "requiredGang"
                                                                    : "requiredGroup";
    std::string text = fmt::format("scheduler profile \"{}\" cannot express {} \"{}\" here",
                                   input_.profile.name, required ? "required" : "preferred", key);
    if (honoured) text += fmt::format("; config.topology.{}: PodAffinity approximates it", field);
    return text;
  }

  void Report(Outcome::Kind kind, const Scope& scope, bool required, std::string_view what) {
    plan_.outcomes.push_back({kind, scope.path + (required ? ".required" : ".preferred"),
                              required ? scope.wishes.required : scope.wishes.preferred,
                              std::string(what)});
  }

  void Refuse(std::string_view reason, const Scope& scope, bool required, std::string message) {
    if (plan_.refusal) return;
    plan_.refusal =
        Refusal{std::string(reason), scope.path + (required ? ".required" : ".preferred"),
                std::move(message)};
  }

  const GangInput& input_;
  const TopologySupport& support_;
  TopologyPlan plan_;
};

}  // namespace

PackConstraint TopologyPlan::Native(ScopeKind kind, std::string_view name) const {
  for (const Scope& scope : native) {
    if (scope.kind == kind && scope.name == name) return scope.wishes;
  }
  return {};
}

std::vector<Scope> ConstrainedScopes(const GangInput& input, std::vector<Outcome>* dropped) {
  std::vector<Scope> constrained;
  for (Scope& scope : AllScopes(input.gang)) {
    if (input.policy->DropsRedundantTopology()) DropRedundant(input, scope, dropped);
    if (!scope.wishes.empty()) constrained.push_back(std::move(scope));
  }
  return constrained;
}

TopologyPlan PlanTopology(const GangInput& input, const TopologySupport& support) {
  return Planner(input, support).Plan();
}

bool Covers(const PodGangInfo& gang, const Scope& scope, std::string_view group) {
  if (scope.kind == ScopeKind::kGang) return true;
  if (scope.kind == ScopeKind::kGroup) return scope.name == group;
  const TopologyGroupConfig* config = gang.ConfigOf(group);
  return config != nullptr && config->name == scope.name;
}

}  // namespace coppice::backends
