#include "backends/model/gang_info.h"

#include <fmt/format.h>

#include <set>

#include "api/edit/grove.h"
#include "api/kai/names.h"
#include "api/view/grove.h"
#include "backends/model/labels.h"

namespace coppice::backends {
namespace {

using json::Value;

PackConstraint ReadConstraint(view::grove::GangTopologyConstraint constraint) {
  const view::grove::PackConstraint pack = constraint.packConstraint();
  return {std::string(pack.required()), std::string(pack.preferred())};
}

// Into a PodGang's spec, or one of its groups or configs.
template <typename Owner>
void WriteConstraint(const PackConstraint& constraint, Owner owner) {
  if (constraint.empty()) return;
  const edit::grove::PackConstraint pack = owner.topologyConstraint().packConstraint();
  if (!constraint.required.empty()) pack.set_required(constraint.required);
  if (!constraint.preferred.empty()) pack.set_preferred(constraint.preferred);
}

NamespacedName ReadReference(view::grove::NamespacedName reference) {
  return {std::string(reference.namespace_()), std::string(reference.name())};
}

void WriteReference(const NamespacedName& reference, edit::grove::NamespacedName out) {
  out.set_namespace_(reference.ns).set_name(reference.name);
}

PodGroupInfo ReadGroup(view::grove::PodGroup item) {
  PodGroupInfo group;
  group.name = item.name();
  group.min_replicas = item.minReplicas();
  group.topology = ReadConstraint(item.topologyConstraint());
  for (const view::grove::NamespacedName pod : item.podReferences()) {
    group.pod_references.push_back(ReadReference(pod));
  }
  group.replicas = std::max<int64_t>(group.min_replicas, group.pod_references.size());
  return group;
}

TopologyGroupConfig ReadConfig(view::grove::TopologyConstraintGroupConfig item) {
  TopologyGroupConfig config;
  config.name = item.name();
  for (const std::string_view name : item.podGroupNames()) {
    config.pod_group_names.emplace_back(name);
  }
  config.topology = ReadConstraint(item.topologyConstraint());
  return config;
}

void WriteGroup(const PodGroupInfo& group, edit::grove::PodGroup out) {
  out.set_name(group.name).set_minReplicas(group.min_replicas);
  out.set_podReferences(Value::Array());
  for (const NamespacedName& pod : group.pod_references) {
    WriteReference(pod, out.add_podReferences());
  }
  WriteConstraint(group.topology, out);
}

void WriteConfig(const TopologyGroupConfig& config,
                 edit::grove::TopologyConstraintGroupConfig out) {
  Value names = Value::Array();
  for (const std::string& name : config.pod_group_names) names.Append(name);
  out.set_name(config.name).set_podGroupNames(std::move(names));
  WriteConstraint(config.topology, out);
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
  return annotations[labels::kTopologyName].AsString(
      annotations[api::kai::names::kTopology].AsString());
}

PodGangInfo GangFromObject(const Value& pod_gang) {
  PodGangInfo gang;
  const view::meta::ObjectMeta metadata = view::grove::PodGang(pod_gang).metadata();
  gang.name = metadata.name();
  gang.ns = metadata.namespace_();
  gang.uid = metadata.uid();
  gang.generation = metadata.generation();
  if (metadata.has_labels()) gang.labels = metadata.labels().Json();
  if (metadata.has_annotations()) gang.annotations = metadata.annotations().Json();
  gang.topology_name = TopologyNameIn(gang.annotations);
  gang.base_gang = gang.labels[labels::kBaseGang].ToString();
  const view::grove::PodGangSpec spec = view::grove::PodGang(pod_gang).spec();
  for (const view::grove::PodGroup item : spec.podgroups()) {
    gang.pod_groups.push_back(ReadGroup(item));
  }
  gang.topology = ReadConstraint(spec.topologyConstraint());
  for (const auto item : spec.topologyConstraintGroupConfigs()) {
    gang.group_configs.push_back(ReadConfig(item));
  }
  gang.priority_class_name = spec.priorityClassName();
  if (const view::grove::NamespacedName reuse = spec.reuseReservationRef()) {
    gang.reuse_reservation = ReadReference(reuse);
    if (!reuse.has_namespace_()) gang.reuse_reservation->ns = gang.ns;
  }
  return gang;
}

Value GangSpec(const PodGangInfo& gang) {
  Value spec;
  const edit::grove::PodGangSpec out(spec);
  out.set_podgroups(Value::Array());
  for (const PodGroupInfo& group : gang.pod_groups) WriteGroup(group, out.add_podgroups());
  WriteConstraint(gang.topology, out);
  for (const TopologyGroupConfig& config : gang.group_configs) {
    WriteConfig(config, out.add_topologyConstraintGroupConfigs());
  }
  if (!gang.priority_class_name.empty()) out.set_priorityClassName(gang.priority_class_name);
  if (gang.reuse_reservation) WriteReference(*gang.reuse_reservation, out.reuseReservationRef());
  return spec;
}

base::Status ValidateTree(const PodGangInfo& gang) {
  COPPICE_TRY(CheckGroups(gang));
  return CheckConfigs(gang);
}

}  // namespace coppice::backends
