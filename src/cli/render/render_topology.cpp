#include "cli/render/render_topology.h"

#include <fmt/format.h>

#include "backends/model/topology.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

class LevelFinder {
 public:
  explicit LevelFinder(const Value& binding)
      : name_(kube::Name(binding)), levels_(backends::LevelsFromBinding(binding)) {}

  // Constraints below the set's own inherit its topology.
  void Look(const std::string& path, const Value& constraint, const std::string& inherited) {
    if (!constraint.IsObject()) return;
    const std::string topology = constraint["topologyName"].ToString(inherited);
    const Value& pack = constraint["pack"];
    const std::string required = pack["required"].ToString(constraint["packDomain"].AsString());
    Check(path, topology, required, true);
    Check(path, topology, pack["preferred"].ToString(), false);
  }

  std::vector<UnresolvedLevel> found;

 private:
  void Check(const std::string& path, const std::string& topology, const std::string& domain,
             bool required) {
    const bool named = topology.empty() || topology == name_;
    if (domain.empty() || (named && !levels_.KeyOf(domain).empty())) return;
    const std::string binding = topology.empty()
                                    ? "a ClusterTopologyBinding"
                                    : fmt::format("the ClusterTopologyBinding \"{}\"", topology);
    found.push_back(
        {path, domain, required,
         fmt::format("{} \"{}\" of a topology, but the file does not hold {} with that "
                     "level; add it to the file",
                     required ? "requires the level" : "prefers the level", domain, binding)});
  }

  const std::string name_;
  const backends::TopologyLevels levels_;
};

}  // namespace

std::vector<UnresolvedLevel> FindUnresolvedLevels(const Value& set, const Value& binding) {
  const Value& pods = set["spec"]["template"];
  const std::string topology = pods["topologyConstraint"]["topologyName"].ToString();
  LevelFinder finder(binding);
  finder.Look("spec.template.topologyConstraint", pods["topologyConstraint"], topology);
  for (const char* list : {"podCliqueScalingGroups", "cliques"}) {
    for (size_t i = 0; i < pods[list].size(); ++i) {
      finder.Look(fmt::format("spec.template.{}[{}].topologyConstraint", list, i),
                  pods[list].At(i)["topologyConstraint"], topology);
    }
  }
  return std::move(finder.found);
}

}  // namespace coppice::cli
