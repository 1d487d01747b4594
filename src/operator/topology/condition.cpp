#include "operator/topology/condition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "operator/runtime/conditions.h"

namespace coppice::operators::topology {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueSetTemplate;
using api::grove::TopologyConstraint;

std::vector<const TopologyConstraint*> Constraints(const PodCliqueSetTemplate& set) {
  std::vector<const TopologyConstraint*> found;
  if (set.topologyConstraint) found.push_back(&*set.topologyConstraint);
  for (const auto& group : set.podCliqueScalingGroups) {
    if (group.topologyConstraint) found.push_back(&*group.topologyConstraint);
  }
  for (const auto& clique : set.cliques) {
    if (clique.topologyConstraint) found.push_back(&*clique.topologyConstraint);
  }
  return found;
}

void AddOnce(std::string domain, std::vector<std::string>& domains) {
  if (domain.empty() || std::find(domains.begin(), domains.end(), domain) != domains.end()) return;
  domains.push_back(std::move(domain));
}

std::vector<std::string> MissingDomains(const PodCliqueSetTemplate& set,
                                        const backends::TopologyLevels& levels) {
  std::vector<std::string> missing = Domains(set);
  std::erase_if(missing, [&](const std::string& domain) { return !levels.KeyOf(domain).empty(); });
  return missing;
}

Condition Make(std::string status, std::string reason, std::string message) {
  return {.type = std::string(api::grove::kTopologyLevelsUnavailable),
          .status = std::move(status),
          .reason = std::move(reason),
          .message = std::move(message)};
}

Condition Judge(const Context& context, const PodCliqueSet& set) {
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  if (!HasConstraint(tmpl)) {
    return Make("False", "AllClusterTopologyLevelsAvailable", "No topology constraints defined");
  }
  if (!context.config.topology_aware_scheduling) {
    return Make("Unknown", "TopologyAwareSchedulingDisabled",
                "Topology constraints are defined but Topology Aware Scheduling is disabled");
  }
  const std::string name = TopologyName(tmpl);
  if (name.empty()) {
    return Make("Unknown", "TopologyNameMissing",
                "PodCliqueSet topology constraints must include topologyName");
  }
  const auto binding = context.bindings.Get({"", name});
  if (!binding) {
    return Make("Unknown", "ClusterTopologyNotFound", "ClusterTopologyBinding resource not found");
  }
  const auto missing = MissingDomains(tmpl, backends::LevelsFromBinding(*binding));
  if (missing.empty()) {
    return Make("False", "AllClusterTopologyLevelsAvailable", "All topology levels are available");
  }
  return Make("True", "ClusterTopologyLevelsUnavailable",
              fmt::format("Unavailable topology domains: [{}]", fmt::join(missing, " ")));
}

}  // namespace

bool HasConstraint(const PodCliqueSetTemplate& set) { return !Constraints(set).empty(); }

std::string TopologyName(const PodCliqueSetTemplate& set) {
  for (const TopologyConstraint* constraint : Constraints(set)) {
    if (!constraint->Topology().empty()) return constraint->Topology();
  }
  return "";
}

std::vector<std::string> Domains(const PodCliqueSetTemplate& set) {
  std::vector<std::string> domains;
  for (const TopologyConstraint* constraint : Constraints(set)) {
    AddOnce(constraint->RequiredDomain(), domains);
    AddOnce(constraint->PreferredDomain(), domains);
  }
  return domains;
}

backends::TopologyLevels LevelsOf(const Context& context, const PodCliqueSet& set) {
  if (!context.config.topology_aware_scheduling) return {};
  const auto binding = context.bindings.Get({"", TopologyName(set.spec.template_)});
  return binding ? backends::LevelsFromBinding(*binding) : backends::TopologyLevels();
}

void UpdateCondition(const Context& context, const PodCliqueSet& set,
                     std::vector<api::grove::Condition>& conditions) {
  if (!context.config.topology_aware_scheduling && !HasConstraint(set.spec.template_)) {
    RemoveCondition(conditions, api::grove::kTopologyLevelsUnavailable);
    return;
  }
  Condition condition = Judge(context, set);
  condition.observedGeneration = set.generation();
  SetCondition(conditions, std::move(condition), context.Now());
}

}  // namespace coppice::operators::topology
