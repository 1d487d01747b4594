#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "api/schema/errors/field_error.h"
#include "operator/webhooks/checks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSetTemplate;
using api::grove::TopologyConstraint;
using backends::TopologyLevels;

// A set, group or clique with its constraint, and the constraints above it.
struct Place {
  std::string kind;  // "PodCliqueSet", …, as in messages.
  std::string name;
  std::string path;  // The path of the constraint.
  const TopologyConstraint* constraint;
  std::vector<size_t> parents;  // Indices of the places above, nearest first.

  // "PodClique 'w'".
  std::string Title() const { return name.empty() ? kind : fmt::format("{} '{}'", kind, name); }
};

const TopologyConstraint* Pointer(const std::optional<TopologyConstraint>& constraint) {
  return constraint ? &*constraint : nullptr;
}

// The set first, then groups, then cliques.
std::vector<Place> Places(const PodCliqueSetTemplate& set) {
  std::vector<Place> places;
  places.push_back({"PodCliqueSet",
                    "",
                    "spec.template.topologyConstraint",
                    Pointer(set.topologyConstraint),
                    {}});
  for (size_t g = 0; g < set.podCliqueScalingGroups.size(); ++g) {
    const auto& group = set.podCliqueScalingGroups[g];
    places.push_back({"PodCliqueScalingGroup",
                      group.name,
                      GroupPath(g) + ".topologyConstraint",
                      Pointer(group.topologyConstraint),
                      {0}});
  }
  for (size_t c = 0; c < set.cliques.size(); ++c) {
    Place place{"PodClique",
                set.cliques[c].name,
                CliquePath(c) + ".topologyConstraint",
                Pointer(set.cliques[c].topologyConstraint),
                {0}};
    for (size_t g = 0; g < set.podCliqueScalingGroups.size(); ++g) {
      if (set.podCliqueScalingGroups[g].Contains(place.name)) place.parents = {g + 1, 0};
    }
    places.push_back(std::move(place));
  }
  return places;
}

// The topology name of the nearest place above that has one.
std::string Inherited(const Place& place, const std::vector<std::string>& resolved) {
  for (const size_t parent : place.parents) {
    if (!resolved[parent].empty()) return resolved[parent];
  }
  return "";
}

const char kNamesDiffer[] =
    "all topologyConstraint.topologyName values within a PodCliqueSet must match in the current "
    "implementation";

void AddNamesDiffer(const Place& place, Causes& causes) {
  causes.push_back(
      api::InvalidField(place.path + ".topologyName", place.constraint->Topology(), kNamesDiffer));
}

std::optional<size_t> LevelOf(const TopologyLevels& levels, const std::string& domain) {
  for (size_t i = 0; i < levels.levels.size(); ++i) {
    if (levels.levels[i].domain == domain) return i;
  }
  return std::nullopt;
}

std::string Listed(const TopologyLevels& levels) {
  std::vector<std::string> domains;
  for (const auto& level : levels.levels) domains.push_back(level.domain);
  return fmt::format("[{}]", fmt::join(domains, " "));
}

void CheckDomain(const std::string& path, const std::optional<std::string>& domain,
                 const TopologyLevels& levels, Causes& causes) {
  if (!domain || domain->empty() || LevelOf(levels, *domain)) return;
  causes.push_back(
      api::InvalidField(path, *domain,
                        fmt::format("topology domain '{}' does not exist in cluster topology {}",
                                    *domain, Listed(levels))));
}

void CheckDomains(const Place& place, const TopologyLevels& levels, Causes& causes) {
  if (place.constraint == nullptr) return;
  CheckDomain(place.path + ".packDomain", place.constraint->packDomain, levels, causes);
  if (!place.constraint->pack) return;
  CheckDomain(place.path + ".pack.required", place.constraint->pack->required, levels, causes);
  CheckDomain(place.path + ".pack.preferred", place.constraint->pack->preferred, levels, causes);
}

// If a parent packs tighter than its child, the child's constraint has no effect.
void CheckNarrower(const Place& parent, const std::string& above, const std::string& path,
                   const Place& child, const std::string& below, const TopologyLevels& levels,
                   Causes& causes) {
  const auto level_above = LevelOf(levels, above);
  const auto level_below = LevelOf(levels, below);
  if (!level_above || !level_below || *level_above <= *level_below) return;
  causes.push_back(api::InvalidField(
      path, above,
      fmt::format("{} topology constraint domain '{}' is narrower than {} topology constraint "
                  "domain '{}'",
                  parent.Title(), above, child.Title(), below)));
}

void CheckHierarchy(const Place& parent, const Place& child, const TopologyLevels& levels,
                    Causes& causes) {
  if (parent.constraint == nullptr || child.constraint == nullptr) return;
  CheckNarrower(parent, parent.constraint->RequiredDomain(), parent.path, child,
                child.constraint->RequiredDomain(), levels, causes);
  CheckNarrower(parent, parent.constraint->PreferredDomain(), parent.path + ".pack.preferred",
                child, child.constraint->PreferredDomain(), levels, causes);
}

// Checks the set against its cliques and groups, then each group against its members, in the
// group's order.
void CheckHierarchies(const PodCliqueSetTemplate& set, const TopologyLevels& levels,
                      Causes& causes) {
  const std::vector<Place> places = Places(set);
  const size_t groups = set.podCliqueScalingGroups.size();
  const size_t first_clique = 1 + groups;
  for (size_t c = first_clique; c < places.size(); ++c) {
    CheckHierarchy(places[0], places[c], levels, causes);
  }
  for (size_t g = 1; g < first_clique; ++g) CheckHierarchy(places[0], places[g], levels, causes);
  for (size_t g = 0; g < groups; ++g) {
    for (const std::string& name : set.podCliqueScalingGroups[g].cliqueNames) {
      for (size_t c = first_clique; c < places.size(); ++c) {
        if (places[c].name == name) CheckHierarchy(places[1 + g], places[c], levels, causes);
      }
    }
  }
}

// The set, its cliques, its groups: the order of the report.
std::vector<Place> InReportOrder(const PodCliqueSetTemplate& set) {
  std::vector<Place> places = Places(set);
  std::rotate(places.begin() + 1,
              places.begin() + 1 + static_cast<long>(set.podCliqueScalingGroups.size()),
              places.end());
  return places;
}

json::Value ReferencedDomains(const TopologyConstraint& constraint) {
  json::Value domains = json::Value::Array();
  if (!constraint.RequiredDomain().empty()) domains.Append(constraint.RequiredDomain());
  if (!constraint.PreferredDomain().empty() &&
      constraint.PreferredDomain() != constraint.RequiredDomain()) {
    domains.Append(constraint.PreferredDomain());
  }
  return domains;
}

}  // namespace

bool ResolveTopologyName(const PodCliqueSetTemplate& set, std::string& name, Causes& causes) {
  const size_t before = causes.size();
  const std::vector<Place> places = Places(set);
  std::vector<std::string> resolved(places.size());
  bool differ = false;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].constraint == nullptr) continue;
    const std::string inherited = Inherited(places[i], resolved);
    const std::string own = places[i].constraint->Topology();
    if (own.empty() && inherited.empty()) {
      causes.push_back(api::RequiredField(
          places[i].path + ".topologyName",
          "topologyName is required when topologyConstraint is set and cannot be inherited"));
    } else if (!own.empty() && !inherited.empty() && own != inherited) {
      AddNamesDiffer(places[i], causes);
    } else {
      resolved[i] = own.empty() ? inherited : own;
      if (name.empty()) name = resolved[i];
      differ |= name != resolved[i];
    }
  }
  for (const Place& place : places) {
    if (differ && place.constraint != nullptr && !place.constraint->Topology().empty()) {
      AddNamesDiffer(place, causes);
    }
  }
  return causes.size() == before;
}

void CheckTopology(const PodCliqueSetTemplate& set, const TopologyInput& input, Causes& causes) {
  const std::vector<Place> places = InReportOrder(set);
  bool constrained = false;
  for (const Place& place : places) {
    if (place.constraint == nullptr) continue;
    constrained = true;
    if (input.enabled) continue;
    causes.push_back(api::InvalidField(place.path, ReferencedDomains(*place.constraint),
                                       "topology constraints are not allowed when Topology Aware "
                                       "Scheduling is disabled"));
  }
  if (!constrained || !input.enabled) return;
  if (input.levels == nullptr) {
    causes.push_back(api::InvalidField(
        "spec.template.topologyConstraint.topologyName", input.resolved_name,
        fmt::format("ClusterTopologyBinding {} not found", api::Quoted(input.resolved_name))));
    return;
  }
  const size_t before = causes.size();
  for (const Place& place : places) CheckDomains(place, *input.levels, causes);
  if (causes.size() == before) CheckHierarchies(set, *input.levels, causes);
}

std::vector<std::string> TopologyWarnings(const PodCliqueSetTemplate& set,
                                          const TopologyLevels* levels) {
  std::vector<std::string> warnings;
  for (const Place& place : InReportOrder(set)) {
    if (place.constraint == nullptr) continue;
    if (place.constraint->packDomain) {
      warnings.push_back(
          fmt::format("{0}.packDomain is deprecated; use {0}.pack.required instead", place.path));
    }
    if (levels == nullptr) continue;
    const auto required = LevelOf(*levels, place.constraint->RequiredDomain());
    const auto preferred = LevelOf(*levels, place.constraint->PreferredDomain());
    if (required && preferred && *preferred < *required) {
      warnings.push_back(fmt::format(
          "{0}.pack.preferred is coarser than {0}.pack.required and is redundant", place.path));
    }
  }
  return warnings;
}

}  // namespace coppice::operators::webhooks
