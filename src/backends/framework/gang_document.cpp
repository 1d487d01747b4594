#include "backends/framework/gang_document.h"

#include "api/edit/backendfiles.h"
#include "api/key/backendfiles.h"
#include "backends/model/requests.h"

namespace coppice::backends {
namespace {

using json::Value;

// Templates omit fields whose value is missing.
Value Given(const std::string& text) { return text.empty() ? Value() : Value(text); }

Value TopologyDocument(const PackConstraint& topology) {
  Value out = Value::Object();
  const edit::backendfiles::GangTopology edit(out);
  if (!topology.required.empty()) edit.set_required(topology.required);
  if (!topology.preferred.empty()) edit.set_preferred(topology.preferred);
  return out;
}

void AddGroup(const PodGangInfo& gang, const PodGroupInfo& group,
              edit::backendfiles::GangGroup out) {
  out.set_name(group.name)
      .set_template_(group.clique_template)
      .set_minReplicas(group.LastMinimum())
      .set_replicas(group.replicas)
      .set_requests(ToJson(EffectiveRequests(group.pod_spec)))
      .set_topology(TopologyDocument(group.topology))
      .set_podSpec(group.pod_spec);
  using Key = key::backendfiles::GangGroup;
  const TopologyGroupConfig* config = gang.ConfigOf(group.name);
  out.Json().Set(Key::config, config == nullptr ? Value() : Value(config->name));
  out.Json().Set(Key::scalingGroup, Given(group.scaling_group));
}

void AddConfig(const TopologyGroupConfig& config, edit::backendfiles::GangConfig out) {
  Value names = Value::Array();
  for (const std::string& name : config.pod_group_names) names.Append(name);
  out.set_name(config.name)
      .set_groups(std::move(names))
      .set_topology(TopologyDocument(config.topology));
}

void AddGang(const PodGangInfo& info, edit::backendfiles::Gang out) {
  PodGangInfo gang = info;
  out.set_groups(Value::Array()).set_configs(Value::Array());
  for (PodGroupInfo& group : gang.pod_groups) {
    AddGroup(info, group, out.add_groups());
    group.min_replicas = group.LastMinimum();
  }
  for (const TopologyGroupConfig& config : gang.group_configs) {
    AddConfig(config, out.add_configs());
  }
  out.set_name(gang.name)
      .set_namespace_(gang.ns)
      .set_uid(gang.uid)
      .set_generation(gang.generation)
      .set_labels(gang.labels)
      .set_annotations(gang.annotations)
      .set_minMember(gang.TotalMinReplicas())
      .set_topology(TopologyDocument(gang.topology));
  using Key = key::backendfiles::Gang;
  out.Json().Set(Key::baseGang, Given(gang.base_gang));
  out.Json().Set(Key::priorityClassName, Given(gang.priority_class_name));
  out.Json().Set(Key::topologyName, Given(gang.topology_name));
  const auto resources = MinResources(gang);
  out.set_minResources(resources ? ToJson(*resources) : Value());
}

Value TextList(const std::set<std::string>& items) {
  Value out = Value::Array();
  for (const std::string& item : items) out.Append(item);
  return out;
}

}  // namespace

Value GangDocument(const GangInput& input) {
  Value document;
  const edit::backendfiles::GangDocument out(document);
  AddGang(input.gang, out.gang());
  out.set_options(input.profile.options).set_set(input.set).set_levels(Value::Array());
  for (const TopologyLevel& level : input.topology.levels) {
    out.add_levels().set_domain(level.domain).set_key(level.key);
  }
  if (input.capabilities) {
    out.set_served(TextList(input.capabilities->served()));
    out.set_fields(TextList(input.capabilities->fields()));
  }
  return document;
}

}  // namespace coppice::backends
