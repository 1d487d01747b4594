#include "backends/model/gang_info.h"

#include <fmt/format.h>

#include <set>

#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

TopologyConstraint ReadConstraint(const Value& owner) {
  const Value& pack = owner["topologyConstraint"]["packConstraint"];
  return {pack["required"].ToString(), pack["preferred"].ToString()};
}

void WriteConstraint(const TopologyConstraint& constraint, Value& owner) {
  if (constraint.empty()) return;
  Value pack = Value::Object();
  if (!constraint.required.empty()) pack.Set("required", constraint.required);
  if (!constraint.preferred.empty()) pack.Set("preferred", constraint.preferred);
  owner.Set("topologyConstraint", Value::Object({{"packConstraint", std::move(pack)}}));
}

PodGroupInfo ReadGroup(const Value& item) {
  PodGroupInfo group;
  group.name = item["name"].ToString();
  group.min_replicas = item["minReplicas"].AsInt();
  group.topology = ReadConstraint(item);
  for (const Value& pod : item["podReferences"].Items()) {
    group.pod_references.push_back({pod["namespace"].ToString(), pod["name"].ToString()});
  }
  group.replicas = std::max<int64_t>(group.min_replicas, group.pod_references.size());
  return group;
}

TopologyGroupConfig ReadConfig(const Value& item) {
  TopologyGroupConfig config;
  config.name = item["name"].ToString();
  for (const Value& name : item["podGroupNames"].Items()) {
    config.pod_group_names.push_back(name.ToString());
  }
  config.topology = ReadConstraint(item);
  return config;
}

Value WriteGroup(const PodGroupInfo& group) {
  Value references = Value::Array();
  for (const NamespacedName& pod : group.pod_references) {
    references.Append(Value::Object({{"namespace", pod.ns}, {"name", pod.name}}));
  }
  Value out = Value::Object({{"name", group.name},
                             {"minReplicas", group.min_replicas},
                             {"podReferences", std::move(references)}});
  WriteConstraint(group.topology, out);
  return out;
}

Value WriteConfig(const TopologyGroupConfig& config) {
  Value names = Value::Array();
  for (const std::string& name : config.pod_group_names) names.Append(name);
  Value out = Value::Object({{"name", config.name}, {"podGroupNames", std::move(names)}});
  WriteConstraint(config.topology, out);
  return out;
}

base::Status Broken(const std::string& path, const std::string& message) {
  return base::Error(base::ErrorCode::kInvalid, path + ": " + message)
      .WithCause({"FieldValueInvalid", path, message});
}

base::Status CheckGroups(const PodGangInfo& gang) {
  std::set<std::string> names;
  for (size_t i = 0; i < gang.pod_groups.size(); ++i) {
    const PodGroupInfo& group = gang.pod_groups[i];
    const std::string path = fmt::format("spec.podgroups[{}]", i);
    if (!names.insert(group.name).second) {
      return Broken(path + ".name", fmt::format("group \"{}\" is listed twice", group.name));
    }
    for (size_t p = 0; p < group.pod_references.size(); ++p) {
      const NamespacedName& pod = group.pod_references[p];
      if (pod.ns == gang.ns) continue;
      return Broken(fmt::format("{}.podReferences[{}].namespace", path, p),
                    fmt::format("pod \"{}\" is in namespace \"{}\", the gang in \"{}\"", pod.name,
                                pod.ns, gang.ns));
    }
  }
  return {};
}

base::Status CheckConfigs(const PodGangInfo& gang) {
  std::map<std::string, std::string> config_of;
  for (size_t i = 0; i < gang.group_configs.size(); ++i) {
    const TopologyGroupConfig& config = gang.group_configs[i];
    for (size_t n = 0; n < config.pod_group_names.size(); ++n) {
      const std::string& name = config.pod_group_names[n];
      const std::string path =
          fmt::format("spec.topologyConstraintGroupConfigs[{}].podGroupNames[{}]", i, n);
      if (gang.FindGroup(name) == nullptr) {
        return Broken(path, fmt::format("no pod group is called \"{}\"", name));
      }
      const auto [other, added] = config_of.emplace(name, config.name);
      if (added) continue;
      return Broken(path,
                    fmt::format("group \"{}\" is also in config \"{}\"", name, other->second));
    }
  }
  return {};
}

}  // namespace

const PodGroupInfo* PodGangInfo::FindGroup(std::string_view group) const {
  for (const PodGroupInfo& candidate : pod_groups) {
    if (candidate.name == group) return &candidate;
  }
  return nullptr;
}

const TopologyGroupConfig* PodGangInfo::ConfigOf(std::string_view group) const {
  for (const TopologyGroupConfig& config : group_configs) {
    for (const std::string& member : config.pod_group_names) {
      if (member == group) return &config;
    }
  }
  return nullptr;
}

int64_t PodGangInfo::TotalMinReplicas() const {
  int64_t total = 0;
  for (const PodGroupInfo& group : pod_groups) total += group.min_replicas;
  return total;
}

std::string_view TopologyNameIn(const Value& annotations) {
  return annotations[labels::kTopologyName].AsString(annotations[labels::kKaiTopology].AsString());
}

PodGangInfo GangFromObject(const Value& pod_gang) {
  PodGangInfo gang;
  gang.name = kube::Name(pod_gang);
  gang.ns = kube::Namespace(pod_gang);
  gang.uid = kube::Uid(pod_gang);
  gang.generation = kube::Generation(pod_gang);
  if (pod_gang["metadata"].Has("labels")) gang.labels = pod_gang["metadata"]["labels"];
  if (pod_gang["metadata"].Has("annotations")) {
    gang.annotations = pod_gang["metadata"]["annotations"];
  }
  gang.topology_name = TopologyNameIn(gang.annotations);
  gang.base_gang = gang.labels[labels::kBaseGang].ToString();
  const Value& spec = pod_gang["spec"];
  for (const Value& item : spec["podgroups"].Items()) gang.pod_groups.push_back(ReadGroup(item));
  gang.topology = ReadConstraint(spec);
  for (const Value& item : spec["topologyConstraintGroupConfigs"].Items()) {
    gang.group_configs.push_back(ReadConfig(item));
  }
  gang.priority_class_name = spec["priorityClassName"].ToString();
  if (const Value& reuse = spec["reuseReservationRef"]; reuse.IsObject()) {
    gang.reuse_reservation =
        NamespacedName{reuse["namespace"].ToString(gang.ns), reuse["name"].ToString()};
  }
  return gang;
}

Value GangSpec(const PodGangInfo& gang) {
  Value spec = Value::Object();
  Value groups = Value::Array();
  for (const PodGroupInfo& group : gang.pod_groups) groups.Append(WriteGroup(group));
  spec.Set("podgroups", std::move(groups));
  WriteConstraint(gang.topology, spec);
  if (!gang.group_configs.empty()) {
    Value configs = Value::Array();
    for (const TopologyGroupConfig& config : gang.group_configs) {
      configs.Append(WriteConfig(config));
    }
    spec.Set("topologyConstraintGroupConfigs", std::move(configs));
  }
  if (!gang.priority_class_name.empty()) spec.Set("priorityClassName", gang.priority_class_name);
  if (gang.reuse_reservation) {
    spec.Set("reuseReservationRef", Value::Object({{"namespace", gang.reuse_reservation->ns},
                                                   {"name", gang.reuse_reservation->name}}));
  }
  return spec;
}

base::Status ValidateTree(const PodGangInfo& gang) {
  COPPICE_TRY(CheckGroups(gang));
  return CheckConfigs(gang);
}

}  // namespace coppice::backends
