#include "cli/render/render_topology.h"

#include <fmt/format.h>

#include "api/key/grove.h"
#include "api/view/grove.h"
#include "backends/model/topology.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

class LevelFinder {
 public:
  explicit LevelFinder(const Value& binding)
      : name_(kube::Name(binding)), levels_(backends::LevelsFromBinding(binding)) {}

  // Constraints below the set inherit its topology.
  void Look(const std::string& path, view::grove::TopologyConstraint constraint,
            std::string_view inherited) {
    if (!constraint) return;
    const std::string topology(constraint.topologyName(inherited));
    const std::string required(constraint.pack().required(constraint.packDomain()));
    Check(path, topology, required, true);
    Check(path, topology, std::string(constraint.pack().preferred()), false);
  }

  template <typename Parts>  // Scaling groups or cliques.
  void LookAt(std::string_view list, Parts parts, std::string_view inherited) {
    for (size_t i = 0; i < parts.size(); ++i) {
      Look(fmt::format("spec.template.{}[{}].topologyConstraint", list, i),
           parts.At(i).topologyConstraint(), inherited);
    }
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
  using Key = key::grove::PodCliqueSetTemplate;
  const view::grove::PodCliqueSetTemplate pods = view::grove::PodCliqueSet(set).spec().template_();
  const std::string_view topology = pods.topologyConstraint().topologyName();
  LevelFinder finder(binding);
  finder.Look("spec.template.topologyConstraint", pods.topologyConstraint(), topology);
  finder.LookAt(Key::podCliqueScalingGroups, pods.podCliqueScalingGroups(), topology);
  finder.LookAt(Key::cliques, pods.cliques(), topology);
  return std::move(finder.found);
}

}  // namespace coppice::cli
