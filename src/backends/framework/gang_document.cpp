#include "backends/framework/gang_document.h"

#include "backends/model/requests.h"

namespace coppice::backends {
namespace {

using json::Value;

// Templates leave out the fields of values that nobody gave.
Value Given(const std::string& text) { return text.empty() ? Value() : Value(text); }

Value TopologyDocument(const TopologyConstraint& topology) {
  Value out = Value::Object();
  if (!topology.required.empty()) out.Set("required", topology.required);
  if (!topology.preferred.empty()) out.Set("preferred", topology.preferred);
  return out;
}

Value GroupDocument(const PodGangInfo& gang, const PodGroupInfo& group) {
  const TopologyGroupConfig* config = gang.ConfigOf(group.name);
  return Value::Object({{"name", group.name},
                        {"template", group.clique_template},
                        {"minReplicas", group.LastMinimum()},
                        {"replicas", group.replicas},
                        {"requests", ToJson(EffectiveRequests(group.pod_spec))},
                        {"topology", TopologyDocument(group.topology)},
                        {"config", config == nullptr ? Value() : Value(config->name)},
                        {"scalingGroup", Given(group.scaling_group)},
                        {"podSpec", group.pod_spec}});
}

Value ConfigDocument(const TopologyGroupConfig& config) {
  Value names = Value::Array();
  for (const std::string& name : config.pod_group_names) names.Append(name);
  return Value::Object({{"name", config.name},
                        {"groups", std::move(names)},
                        {"topology", TopologyDocument(config.topology)}});
}

Value GangPart(const PodGangInfo& info) {
  PodGangInfo gang = info;
  Value groups = Value::Array(), configs = Value::Array();
  for (PodGroupInfo& group : gang.pod_groups) {
    groups.Append(GroupDocument(info, group));
    group.min_replicas = group.LastMinimum();
  }
  for (const TopologyGroupConfig& config : gang.group_configs) {
    configs.Append(ConfigDocument(config));
  }
  const auto resources = MinResources(gang);
  return Value::Object({{"name", gang.name},
                        {"namespace", gang.ns},
                        {"uid", gang.uid},
                        {"generation", gang.generation},
                        {"baseGang", Given(gang.base_gang)},
                        {"labels", gang.labels},
                        {"annotations", gang.annotations},
                        {"priorityClassName", Given(gang.priority_class_name)},
                        {"minMember", gang.TotalMinReplicas()},
                        {"minResources", resources ? ToJson(*resources) : Value()},
                        {"topologyName", Given(gang.topology_name)},
                        {"topology", TopologyDocument(gang.topology)},
                        {"groups", std::move(groups)},
                        {"configs", std::move(configs)}});
}

Value TextList(const std::set<std::string>& items) {
  Value out = Value::Array();
  for (const std::string& item : items) out.Append(item);
  return out;
}

}  // namespace

Value GangDocument(const GangInput& input) {
  Value levels = Value::Array();
  for (const TopologyLevel& level : input.topology.levels) {
    levels.Append(Value::Object({{"domain", level.domain}, {"key", level.key}}));
  }
  Value out = Value::Object({{"gang", GangPart(input.gang)},
                             {"options", input.profile.options},
                             {"set", input.set},
                             {"levels", std::move(levels)}});
  if (input.capabilities) {
    out.Set("served", TextList(input.capabilities->served()));
    out.Set("fields", TextList(input.capabilities->fields()));
  }
  return out;
}

}  // namespace coppice::backends
