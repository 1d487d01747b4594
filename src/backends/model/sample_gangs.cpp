#include "backends/model/sample_gangs.h"

#include "api/edit/core.h"
#include "api/labels.h"

namespace coppice::backends {
namespace {

using json::Value;

Value PodSpec() {
  Value spec;
  const edit::core::Container container = edit::core::PodSpec(spec).add_containers();
  container.set_name("main").set_image("sample");
  container.resources().requests().Set("cpu", "1").Set("memory", "1Gi");
  return spec;
}

PodGroupInfo Role(const std::string& name, int64_t replicas) {
  PodGroupInfo role;
  role.name = name;
  role.clique_template = name;
  role.min_replicas = role.template_min_replicas = replicas;
  role.replicas = replicas;
  role.pod_spec = PodSpec();
  role.labels = role.annotations = Value::Object();
  return role;
}

PodGangInfo Plain(const TopologyLevels& levels) {
  PodGangInfo gang;
  gang.name = "sample-0";
  gang.ns = "default";
  gang.uid = "00000000-0000-4000-8000-000000000000";
  gang.topology_name = levels.name;
  gang.pod_groups = {Role("sample-0-leader", 1), Role("sample-0-worker", 4)};
  return gang;
}

}  // namespace

TopologyLevels UsualLevels() {
  return {"usual",
          {{"zone", std::string(api::labels::kZone)},
           {"rack", "topology.kubernetes.io/rack"},
           {"host", std::string(api::labels::kHostname)}}};
}

std::vector<SampleGang> SampleGangs(const TopologyLevels& levels) {
  const std::string narrow = levels.empty() ? "" : levels.levels.back().key;
  const std::string broad =
      levels.levels.size() < 2 ? narrow : levels.levels[levels.levels.size() - 2].key;
  std::vector<SampleGang> samples;
  const auto add = [&](std::string wish) -> PodGangInfo& {
    return samples.emplace_back(SampleGang{std::move(wish), Plain(levels)}).gang;
  };
  add("gang");
  add("surplus").pod_groups[1].replicas = 6;
  add("requiredGang").topology.required = broad;
  add("preferredGang").topology.preferred = broad;
  add("requiredGroup").pod_groups[1].topology.required = broad;
  add("preferredGroup").pod_groups[1].topology.preferred = narrow;
  PodGangInfo& nested = add("requiredConfig");
  for (PodGroupInfo& role : nested.pod_groups) role.scaling_group = "sample-0-group";
  nested.group_configs = {{.name = "sample-0-group-0",
                           .pod_group_names = {"sample-0-leader", "sample-0-worker"},
                           .topology = {.required = broad, .preferred = ""}}};
  return samples;
}

}  // namespace coppice::backends
