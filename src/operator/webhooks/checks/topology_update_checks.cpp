#include <fmt/format.h>

#include <algorithm>

#include "api/schema/errors/field_error.h"
#include "operator/webhooks/checks/checks.h"

// Constraints are immutable, with two exceptions for old sets: packDomain may become pack.required,
// and a constraint without a topology name may get one.
namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSetTemplate;
using api::grove::TopologyConstraint;

using Constraint = std::optional<TopologyConstraint>;

std::string NameOf(const Constraint& constraint) {
  return constraint ? constraint->Topology() : "";
}

std::string PackDomain(const Constraint& constraint) {
  return constraint ? constraint->packDomain.value_or("") : "";
}

bool Differ(const Constraint& a, const Constraint& b) {
  if (!a || !b) return a.has_value() != b.has_value();
  return NameOf(a) != NameOf(b) || PackDomain(a) != PackDomain(b) ||
         a->RequiredDomain() != b->RequiredDomain() || a->PreferredDomain() != b->PreferredDomain();
}

bool NamesNothing(const Constraint& constraint) {
  return NameOf(constraint).empty() && !PackDomain(constraint).empty();
}

bool IsRepair(const Constraint& constraint, const Constraint& old) {
  return NamesNothing(old) && !NameOf(constraint).empty() &&
         PackDomain(constraint) == PackDomain(old);
}

bool TriesMigration(const Constraint& constraint, const Constraint& old) {
  return !PackDomain(old).empty() && constraint && PackDomain(constraint).empty() &&
         constraint->pack && !constraint->pack->required.value_or("").empty();
}

bool IsMigration(const Constraint& constraint, const Constraint& old) {
  return TriesMigration(constraint, old) && NameOf(constraint) == NameOf(old) &&
         constraint->RequiredDomain() == PackDomain(old) &&
         constraint->PreferredDomain() == old->PreferredDomain();
}

std::string Pack(const std::string& required, const std::string& preferred) {
  return fmt::format("required={} preferred={}", api::Quoted(required), api::Quoted(preferred));
}

std::string Message(const std::string& title, const Constraint& constraint, const Constraint& old) {
  if (!old) return title + " topology constraint cannot be added after creation";
  if (!constraint) return title + " topology constraint cannot be removed after creation";
  if (NameOf(constraint) != NameOf(old)) {
    return fmt::format("{} topology constraint topologyName cannot be changed from '{}' to '{}'",
                       title, NameOf(old), NameOf(constraint));
  }
  const std::string now = Pack(constraint->RequiredDomain(), constraint->PreferredDomain());
  if (TriesMigration(constraint, old)) {
    return fmt::format(
        "{} deprecated packDomain migration can only move packDomain to "
        "pack.required without changing the required or preferred topology domain "
        "(old {}, new {})",
        title, Pack(PackDomain(old), old->PreferredDomain()), now);
  }
  return fmt::format("{} topology constraint cannot be changed from {} to {}", title,
                     Pack(old->RequiredDomain(), old->PreferredDomain()), now);
}

void CheckOne(const std::string& title, const std::string& path, const Constraint& constraint,
              const Constraint& old, bool repairing, Causes& causes) {
  if (!Differ(constraint, old) || IsMigration(constraint, old)) return;
  if (repairing && IsRepair(constraint, old)) return;
  causes.push_back(api::ForbiddenField(path, Message(title, constraint, old)));
}

// A new or lost name of the set's own constraint is reported as one error, whatever else changed in
// it.
void CheckSetConstraint(const Constraint& constraint, const Constraint& old, bool repairing,
                        Causes& causes) {
  const std::string path = "spec.template.topologyConstraint";
  const std::string before = NameOf(old);
  const std::string after = NameOf(constraint);
  if (before == after) {
    CheckOne("PodCliqueSet", path, constraint, old, repairing, causes);
  } else if (!repairing || !IsRepair(constraint, old)) {
    causes.push_back(api::ForbiddenField(path + ".topologyName",
                                         fmt::format("topologyName cannot be changed from {} to {}",
                                                     api::Quoted(before), api::Quoted(after))));
  }
}

bool IsOfThePast(const PodCliqueSetTemplate& set) {
  const auto names_nothing = [](const auto& owner) {
    return NamesNothing(owner.topologyConstraint);
  };
  const bool any = names_nothing(set) ||
                   std::any_of(set.cliques.begin(), set.cliques.end(), names_nothing) ||
                   std::any_of(set.podCliqueScalingGroups.begin(), set.podCliqueScalingGroups.end(),
                               names_nothing);
  std::string name;
  Causes causes;
  return any && !ResolveTopologyName(set, name, causes);
}

}  // namespace

TopologyChange CheckTopologyImmutable(const PodCliqueSetTemplate& set,
                                      const PodCliqueSetTemplate& old, Causes& causes) {
  const bool repairing = IsOfThePast(old);
  const size_t before = causes.size();
  CheckSetConstraint(set.topologyConstraint, old.topologyConstraint, repairing, causes);
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const auto* clique = old.FindClique(set.cliques[i].name);
    CheckOne(fmt::format("PodClique '{}'", set.cliques[i].name),
             CliquePath(i) + ".topologyConstraint", set.cliques[i].topologyConstraint,
             clique == nullptr ? Constraint() : clique->topologyConstraint, repairing, causes);
  }
  for (size_t i = 0; i < set.podCliqueScalingGroups.size(); ++i) {
    const auto* group = old.FindGroup(set.podCliqueScalingGroups[i].name);
    CheckOne(fmt::format("PodCliqueScalingGroup '{}'", set.podCliqueScalingGroups[i].name),
             GroupPath(i) + ".topologyConstraint", set.podCliqueScalingGroups[i].topologyConstraint,
             group == nullptr ? Constraint() : group->topologyConstraint, repairing, causes);
  }
  return repairing && causes.size() == before ? TopologyChange::kRepair : TopologyChange::kNone;
}

}  // namespace coppice::operators::webhooks
