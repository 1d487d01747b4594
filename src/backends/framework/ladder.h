#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/framework/backend.h"

namespace coppice::backends {

enum class ScopeKind { kGang, kConfig, kGroup };

// A part of the gang that has topology wishes of its own.
struct Scope {
  ScopeKind kind;
  std::string name;  // Of the gang, the config or the group.
  std::string path;  // "spec.podgroups[1].topologyConstraint.packConstraint".
  PackConstraint wishes;
};

// How well a target can express one wish.
enum class Expressiveness {
  kNative,
  kImplied,       // It packs that tightly anyway.
  kApproximated,  // It has a field that comes close.
  kNone,          // Down the ladder: pod affinity, else reject or drop.
};

// A target's abilities, for PlanTopology.
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

// What becomes of every wish of a gang: said natively, by pod affinity, or not at all.
struct TopologyPlan {
  std::optional<Refusal> refusal;
  std::vector<Outcome> outcomes;
  std::vector<AffinityTerm> affinity;
  std::vector<Scope> native;  // Scopes reduced to what the target's own fields say.

  // The native wishes of a scope; empty when there are none.
  PackConstraint Native(ScopeKind kind, std::string_view name) const;
};

// Scopes with wishes, redundant ones already removed: gang, configs, groups.
std::vector<Scope> ConstrainedScopes(const GangInput& input, std::vector<Outcome>* dropped);

// Walks the ladder for every wish: native, implied, pod affinity where the profile allows it, and
// at the end a refusal (required) or an outcome (preferred).
TopologyPlan PlanTopology(const GangInput& input, const TopologySupport& support);

// The labels that select the pods of a scope.
json::Value ScopeSelector(const PodGangInfo& gang, const Scope& scope);
// Whether `group` lies within the scope.
bool Covers(const PodGangInfo& gang, const Scope& scope, std::string_view group);

// Adds the plan's terms for `group` to a pod's affinity. `selector` overrides ScopeSelector.
using SelectorFunction = std::function<json::Value(const Scope& scope)>;
void AddPodAffinity(const PodGangInfo& gang, const TopologyPlan& plan, std::string_view group,
                    json::Value& pod_spec, const SelectorFunction& selector = {});

}  // namespace coppice::backends
