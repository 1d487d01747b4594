#include "backends/model/set_topology.h"

#include <fmt/format.h>

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
  const json::Value& tmpl = set["spec"]["template"];
  if (tmpl.Has("topologyConstraint")) return Refuse(scheduler, "PodCliqueSet");
  for (const json::Value& clique : tmpl["cliques"].Items()) {
    if (!clique.Has("topologyConstraint")) continue;
    return Refuse(scheduler, fmt::format("PodClique \"{}\"", clique["name"].AsString()));
  }
  for (const json::Value& group : tmpl["podCliqueScalingGroups"].Items()) {
    if (!group.Has("topologyConstraint")) continue;
    return Refuse(scheduler, fmt::format("PodCliqueScalingGroup \"{}\"", group["name"].AsString()));
  }
  return {};
}

}  // namespace coppice::backends
