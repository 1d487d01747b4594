#include "services/grouper/metadata.h"

#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::services::grouper {
namespace {

json::Value ConstraintJson(const TopologyConstraint& constraint) {
  json::Value out = json::Value::Object();
  if (!constraint.topology.empty()) out.Set("topology", constraint.topology);
  if (!constraint.required_level.empty()) {
    out.Set("requiredTopologyLevel", constraint.required_level);
  }
  if (!constraint.preferred_level.empty()) {
    out.Set("preferredTopologyLevel", constraint.preferred_level);
  }
  return out;
}

void WriteMinimum(json::Value& object, std::optional<int64_t> min_sub_group, int64_t min_member) {
  if (min_sub_group) {
    object.Set("minSubGroup", *min_sub_group);
  } else {
    object.Set("minMember", min_member);
  }
}

json::Value SubGroupJson(const SubGroup& group) {
  json::Value out = json::Value::Object({{"name", group.name}});
  if (!group.parent.empty()) out.Set("parent", group.parent);
  WriteMinimum(out, group.min_sub_group, group.min_available);
  if (group.topology) out.Set("topologyConstraint", ConstraintJson(*group.topology));
  return out;
}

json::Value SpecJson(const Metadata& metadata) {
  json::Value spec =
      json::Value::Object({{"queue", metadata.queue},
                           {"priorityClassName", metadata.priority_class},
                           {"topologyConstraint", ConstraintJson(metadata.topology)}});
  WriteMinimum(spec, metadata.min_sub_group, metadata.min_available);
  if (!metadata.preemptibility.empty()) spec.Set("preemptibility", metadata.preemptibility);
  if (metadata.preemption_delay) spec.Set("preemptionDelay", *metadata.preemption_delay);
  if (metadata.staleness_grace_period) {
    spec.Set("stalenessGracePeriod", *metadata.staleness_grace_period);
  }
  for (const SubGroup& group : metadata.sub_groups) {
    spec.Mutable("subGroups").Append(SubGroupJson(group));
  }
  return spec;
}

}  // namespace

SubGroup* Metadata::FindSubGroup(std::string_view sub_group) {
  for (SubGroup& group : sub_groups) {
    if (group.name == sub_group) return &group;
  }
  return nullptr;
}

const SubGroup* Metadata::SubGroupOfPod(std::string_view pod_name) const {
  for (const SubGroup& group : sub_groups) {
    for (const std::string& pod : group.pods) {
      if (pod == pod_name) return &group;
    }
  }
  return nullptr;
}

OwnerReference ReferenceTo(const json::Value& object) {
  return {object["apiVersion"].ToString(), object["kind"].ToString(),
          std::string(kube::Name(object)), std::string(kube::Uid(object))};
}

StringMap ReadMap(const json::Value& object) {
  StringMap map;
  for (const json::Member& member : object.Members()) {
    map.emplace(member.name(), member.value.AsString());
  }
  return map;
}

json::Value WriteMap(const StringMap& map) {
  json::Value out = json::Value::Object();
  for (const auto& [key, value] : map) out.Set(key, value);
  return out;
}

json::Value ToPodGroup(const Metadata& metadata) {
  json::Value group = kube::NewObject(api::kPodGroups, metadata.ns, metadata.name);
  json::Value& meta = group.Mutable("metadata");
  if (!metadata.labels.empty()) meta.Set("labels", WriteMap(metadata.labels));
  if (!metadata.annotations.empty()) meta.Set("annotations", WriteMap(metadata.annotations));
  const OwnerReference& owner = metadata.owner;
  meta.Set("ownerReferences", json::Value::Array({json::Value::Object({
                                  {"apiVersion", owner.api_version},
                                  {"kind", owner.kind},
                                  {"name", owner.name},
                                  {"uid", owner.uid},
                              })}));
  group.Set("spec", SpecJson(metadata));
  return group;
}

}  // namespace coppice::services::grouper
