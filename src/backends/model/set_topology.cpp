#include "backends/model/set_topology.h"

#include <fmt/format.h>

#include "api/view/grove.h"

namespace coppice::backends {
namespace {

std::vector<base::FieldCause> Refuse(std::string_view scheduler, std::string_view where) {
  return {{"FieldValueInvalid", "spec",
           fmt::format("{} scheduler backend does not support topologyConstraint on {}", scheduler,
                       where)}};
}

}  // namespace

std::vector<base::FieldCause> RefuseAnyTopology(const json::Value& set,
                                                std::string_view scheduler) {
  const auto tmpl = view::grove::PodCliqueSet(set).spec().template_();
  if (tmpl.has_topologyConstraint()) return Refuse(scheduler, "PodCliqueSet");
  for (const auto clique : tmpl.cliques()) {
    if (!clique.has_topologyConstraint()) continue;
    return Refuse(scheduler, fmt::format("PodClique \"{}\"", clique.name()));
  }
  for (const auto group : tmpl.podCliqueScalingGroups()) {
    if (!group.has_topologyConstraint()) continue;
    return Refuse(scheduler, fmt::format("PodCliqueScalingGroup \"{}\"", group.name()));
  }
  return {};
}

}  // namespace coppice::backends
