#include "engine/explain/missing_topology.h"

#include <fmt/format.h>

#include "engine/explain/amount_text.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {
namespace {

std::vector<Constraint> ConstraintsOf(const Job& job) {
  std::vector<Constraint> constraints;
  for (const auto& set : job.sets) constraints.push_back(set.constraint);
  for (const auto& set : job.pod_sets) constraints.push_back(set.constraint);
  return constraints;
}

// Without the internal ones, which were created only for a label.
std::vector<std::string> UsersTopologies(const Cluster& cluster) {
  std::vector<std::string> known;
  for (const auto& [name, spec] : cluster.topologies().specs()) {
    if (!name.starts_with("coppice.")) known.push_back(name);
  }
  return known;
}

std::string OneOf(const std::vector<std::string>& known) {
  return known.empty() ? "" : fmt::format(", or use one that exists ({})", NameSome(known));
}

void Say(std::string summary, Explanation::Change change, Explanation& out) {
  out.verdict = Verdict::kNeedsAction;
  out.reason = "TopologyUnresolved";
  out.summary = std::move(summary);
  out.changes.push_back(std::move(change));
}

bool SayNoTopology(const Cluster& cluster, const std::string& name, Explanation& out) {
  Say(fmt::format("topology `{}` does not exist", name),
      {"create", name, 1, "Topology",
       fmt::format("create Topology `{}`{}", name, OneOf(UsersTopologies(cluster)))},
      out);
  return true;
}

bool SayNoLevel(const TopologySpec& topology, const std::string& level, Explanation& out) {
  std::vector<std::string> known;
  for (const TopologyLevel& each : topology.levels) known.push_back(each.node_label);
  Say(fmt::format("topology `{}` has no level `{}`", topology.name, level),
      {"create", level, 1, "TopologyLevel",
       fmt::format("add level `{}` to Topology `{}`{}", level, topology.name, OneOf(known))},
      out);
  return true;
}

}  // namespace

bool ExplainMissingTopology(const Session& session, const Gang& gang, Explanation& out) {
  const Cluster& cluster = session.cluster;
  if (!session.topology) return false;
  for (const Constraint& constraint : ConstraintsOf(gang.job())) {
    if (!constraint.any()) continue;
    const std::string name(cluster.Text(constraint.topology));
    const auto topology = cluster.topologies().specs().find(name);
    const TopologyTree* tree = session.topology->TreeOf(constraint.topology);
    if (topology == cluster.topologies().specs().end() || !tree)
      return SayNoTopology(cluster, name, out);
    for (NameId level : {constraint.required, constraint.preferred}) {
      if (level == 0 || tree->LevelOf(level) != kNone) continue;
      return SayNoLevel(topology->second, std::string(cluster.Text(level)), out);
    }
  }
  return false;
}

}  // namespace coppice::engine
