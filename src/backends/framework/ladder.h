#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/framework/backend.h"

namespace coppice::backends {

enum class ScopeKind { kGang, kConfig, kGroup };

// A part of the gang with its own topology constraints.
struct Scope {
  ScopeKind kind;
  std::string name;  // The name of the gang, config or group.
  std::string path;  // "spec.podgroups[1].topologyConstraint.packConstraint".
  PackConstraint wishes;
};

// How well a target can express one constraint.
enum class Expressiveness {
  kNative,
  kImplied,       // The scheduler packs that tightly anyway.
  kApproximated,  // A field comes close.
  kNone,          // Fall back to pod affinity, else reject or drop.
};

// A target's capabilities, for PlanTopology.
struct TopologySupport {
  std::function<Expressiveness(const Scope& scope, bool required)> expressiveness;
  std::string approximation = "as low as possible";  // What kApproximated does, for the report.
  // Whether pod affinity terms are honoured at all.
  bool affinity_required = true;
  bool affinity_preferred = true;
};

struct AffinityTerm {
  Scope scope;
  bool required;
  std::string key;
};

// How each constraint of a gang is expressed: natively, as pod affinity, or not at all.
struct TopologyPlan {
  std::optional<Refusal> refusal;
  std::vector<Outcome> outcomes;
  std::vector<AffinityTerm> affinity;
  std::vector<Scope> native;  // Scopes reduced to what the target's own fields express.

  // The native constraints of a scope; empty if there are none.
  PackConstraint Native(ScopeKind kind, std::string_view name) const;
};

// Scopes with constraints, in the order gang, configs, groups. Redundant ones are removed.
std::vector<Scope> ConstrainedScopes(const GangInput& input, std::vector<Outcome>* dropped);

// Tries for every constraint in turn: native, implied, pod affinity if the profile allows it, and
// finally a refusal (required) or an outcome (preferred).
TopologyPlan PlanTopology(const GangInput& input, const TopologySupport& support);

// The labels that select the pods of a scope.
json::Value ScopeSelector(const PodGangInfo& gang, const Scope& scope);
// Whether `group` is part of the scope.
bool Covers(const PodGangInfo& gang, const Scope& scope, std::string_view group);

// Adds the plan's terms for `group` to a pod's affinity. `selector` overrides ScopeSelector.
using SelectorFunction = std::function<json::Value(const Scope& scope)>;
void AddPodAffinity(const PodGangInfo& gang, const TopologyPlan& plan, std::string_view group,
                    json::Value& pod_spec, const SelectorFunction& selector = {});

}  // namespace coppice::backends
