#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "api/schema/field_error.h"
#include "operator/webhooks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSetTemplate;
using api::grove::TopologyConstraint;
using backends::TopologyLevels;

// A set, group or clique with its constraint, and whose constraint it stands under.
struct Place {
  std::string kind;  // "PodCliqueSet", …, as messages call it.
  std::string name;
  std::string path;  // Of the constraint.
  const TopologyConstraint* constraint;
  std::vector<size_t> parents;  // Indices of places above, nearest first.

  // "PodClique 'w'".
  std::string Title() const { return name.empty() ? kind : fmt::format("{} '{}'", kind, name); }
};

const TopologyConstraint* Pointer(const std::optional<TopologyConstraint>& constraint) {
  return constraint ? &*constraint : nullptr;
}

// The set first, then groups, then cliques.
std::vector<Place> Places(const PodCliqueSetTemplate& set) {
  std::vector<Place> places;
  places.push_back({"PodCliqueSet", "", "spec.template.topologyConstraint",
                    Pointer(set.topologyConstraint), {}});
  for (size_t g = 0; g < set.podCliqueScalingGroups.size(); ++g) {
    const auto& group = set.podCliqueScalingGroups[g];
    places.push_back({"PodCliqueScalingGroup", group.name, GroupPath(g) + ".topologyConstraint",
                      Pointer(group.topologyConstraint), {0}});
  }
  for (size_t c = 0; c < set.cliques.size(); ++c) {
    Place place{"PodClique", set.cliques[c].name, CliquePath(c) + ".topologyConstraint",
                Pointer(set.cliques[c].topologyConstraint), {0}};
    for (size_t g = 0; g < set.podCliqueScalingGroups.size(); ++g) {
      if (set.podCliqueScalingGroups[g].Contains(place.name)) place.parents = {g + 1, 0};
    }
    places.push_back(std::move(place));
  }
  return places;
}

bool NameIsInherited(const std::vector<Place>& places, const Place& place) {
  for (const size_t parent : place.parents) {
    const TopologyConstraint* above = places[parent].constraint;
    if (above != nullptr && !above->Topology().empty()) return true;
  }
  return false;
}

std::optional<size_t> LevelOf(const TopologyLevels& levels, const std::string& domain) {
  for (size_t i = 0; i < levels.levels.size(); ++i) {
    if (levels.levels[i].domain == domain) return i;
  }
  return std::nullopt;
}

using DomainOf = std::function<std::string(const TopologyConstraint&)>;

void CheckDomain(const Place& place, const std::string& domain, std::string_view field,
                 const TopologyLevels& levels, Causes& causes) {
  if (domain.empty() || LevelOf(levels, domain)) return;
  const std::string path = place.constraint->pack
                               ? fmt::format("{}.pack.{}", place.path, field)
                               : place.path + ".packDomain";
  causes.push_back(api::InvalidField(
      path, domain,
      fmt::format("topology domain '{}' is not a level of ClusterTopologyBinding '{}'", domain,
                  levels.name)));
}

// A parent that packs tighter than its child leaves the child nothing to say.
void CheckHierarchy(const std::vector<Place>& places, const TopologyLevels& levels,
                    const DomainOf& domain_of, Causes& causes) {
  for (size_t p = 0; p < places.size(); ++p) {
    if (places[p].constraint == nullptr) continue;
    const std::string above = domain_of(*places[p].constraint);
    const auto level_above = LevelOf(levels, above);
    for (const Place& child : places) {
      if (child.constraint == nullptr ||
          std::find(child.parents.begin(), child.parents.end(), p) == child.parents.end() ||
          &child == &places[p]) {
        continue;
      }
      const std::string below = domain_of(*child.constraint);
      const auto level_below = LevelOf(levels, below);
      if (!level_above || !level_below || *level_above <= *level_below) continue;
      causes.push_back(api::InvalidField(
          places[p].path, above,
          fmt::format("{} topology constraint domain '{}' is narrower than {} topology constraint "
                      "domain '{}'",
                      places[p].Title(), above, child.Title(), below)));
    }
  }
}

}  // namespace

bool ResolveTopologyName(const PodCliqueSetTemplate& set, std::string& name, Causes& causes) {
  const size_t before = causes.size();
  const std::vector<Place> places = Places(set);
  for (const Place& place : places) {
    if (place.constraint == nullptr) continue;
    const std::string own = place.constraint->Topology();
    if (own.empty() && !NameIsInherited(places, place)) {
      causes.push_back(api::RequiredField(
          place.path + ".topologyName",
          "topologyName is required when topologyConstraint is set and cannot be inherited"));
    }
    if (own.empty()) continue;
    if (name.empty()) name = own;
    if (own != name) {
      causes.push_back(api::InvalidField(
          place.path + ".topologyName", own,
          "all topologyConstraint.topologyName values within a PodCliqueSet must match in the "
          "current implementation"));
    }
  }
  return causes.size() == before;
}

void CheckTopology(const PodCliqueSetTemplate& set, const TopologyInput& input, Causes& causes) {
  const std::vector<Place> places = Places(set);
  bool constrained = false;
  for (const Place& place : places) {
    if (place.constraint == nullptr) continue;
    constrained = true;
    if (!input.enabled) {
      causes.push_back(api::InvalidField(place.path, place.constraint->RequiredDomain(),
                                         "topology constraints are not allowed when Topology Aware "
                                         "Scheduling is disabled"));
    }
  }
  if (!constrained || !input.enabled) return;
  if (input.levels == nullptr) {
    causes.push_back(api::InvalidField(
        "spec.template.topologyConstraint.topologyName", input.resolved_name,
        fmt::format("ClusterTopologyBinding '{}' not found", input.resolved_name)));
    return;
  }
  for (const Place& place : places) {
    if (place.constraint == nullptr) continue;
    CheckDomain(place, place.constraint->RequiredDomain(), "required", *input.levels, causes);
    CheckDomain(place, place.constraint->PreferredDomain(), "preferred", *input.levels, causes);
  }
  CheckHierarchy(places, *input.levels, &TopologyConstraint::RequiredDomain, causes);
  CheckHierarchy(places, *input.levels, &TopologyConstraint::PreferredDomain, causes);
}

std::vector<std::string> TopologyWarnings(const PodCliqueSetTemplate& set,
                                          const TopologyLevels* levels) {
  std::vector<std::string> warnings;
  for (const Place& place : Places(set)) {
    if (place.constraint == nullptr) continue;
    if (place.constraint->packDomain) {
      warnings.push_back(fmt::format("{}.packDomain is deprecated; use pack.required", place.path));
    }
    if (levels == nullptr) continue;
    const auto required = LevelOf(*levels, place.constraint->RequiredDomain());
    const auto preferred = LevelOf(*levels, place.constraint->PreferredDomain());
    if (required && preferred && *preferred < *required) {
      warnings.push_back(fmt::format("{}: preferred domain '{}' is broader than required domain "
                                     "'{}' and has no effect",
                                     place.path, place.constraint->PreferredDomain(),
                                     place.constraint->RequiredDomain()));
    }
  }
  return warnings;
}

}  // namespace coppice::operators::webhooks
