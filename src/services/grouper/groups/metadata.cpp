#include "services/grouper/groups/metadata.h"

#include "api/edit/kai.h"
#include "api/view/meta.h"
#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::services::grouper {
namespace {

json::Value ConstraintJson(const TopologyConstraint& constraint) {
  json::Value out = json::Value::Object();
  const edit::kai::GroupTopologyConstraint edit(out);
  if (!constraint.topology.empty()) edit.set_topology(constraint.topology);
  if (!constraint.required_level.empty()) {
    edit.set_requiredTopologyLevel(constraint.required_level);
  }
  if (!constraint.preferred_level.empty()) {
    edit.set_preferredTopologyLevel(constraint.preferred_level);
  }
  return out;
}

// Of a PodGroup's spec or of a sub-group.
template <typename Edit>
void WriteMinimum(Edit edit, std::optional<int64_t> min_sub_group, int64_t min_member) {
  if (min_sub_group) {
    edit.set_minSubGroup(*min_sub_group);
  } else {
    edit.set_minMember(min_member);
  }
}

void WriteSubGroup(const SubGroup& group, edit::kai::SubGroup edit) {
  edit.set_name(group.name);
  if (!group.parent.empty()) edit.set_parent(group.parent);
  WriteMinimum(edit, group.min_sub_group, group.min_available);
  if (group.topology) edit.set_topologyConstraint(ConstraintJson(*group.topology));
}

void WriteSpec(const Metadata& metadata, edit::kai::PodGroupSpec spec) {
  spec.set_queue(metadata.queue)
      .set_priorityClassName(metadata.priority_class)
      .set_topologyConstraint(ConstraintJson(metadata.topology));
  WriteMinimum(spec, metadata.min_sub_group, metadata.min_available);
  if (!metadata.preemptibility.empty()) spec.set_preemptibility(metadata.preemptibility);
  if (metadata.preemption_delay) spec.set_preemptionDelay(*metadata.preemption_delay);
  if (metadata.staleness_grace_period) {
    spec.set_stalenessGracePeriod(*metadata.staleness_grace_period);
  }
  for (const SubGroup& group : metadata.sub_groups) WriteSubGroup(group, spec.add_subGroups());
}

json::Value WriteMap(const StringMap& map) {
  json::Value out = json::Value::Object();
  for (const auto& [key, value] : map) out.Set(key, value);
  return out;
}

void WriteMetadata(const Metadata& metadata, edit::meta::ObjectMeta edit) {
  if (!metadata.labels.empty()) edit.set_labels(WriteMap(metadata.labels));
  if (!metadata.annotations.empty()) edit.set_annotations(WriteMap(metadata.annotations));
  const OwnerReference& owner = metadata.owner;
  edit.add_ownerReferences()
      .set_apiVersion(owner.api_version)
      .set_kind(owner.kind)
      .set_name(owner.name)
      .set_uid(owner.uid);
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
  const view::meta::PartialObjectMetadata owner(object);
  return {std::string(owner.apiVersion()), std::string(owner.kind()),
          std::string(owner.metadata().name()), std::string(owner.metadata().uid())};
}

StringMap ReadMap(view::Map<std::string_view> map) {
  StringMap out;
  for (const auto& [key, value] : map) out.emplace(key, value);
  return out;
}

json::Value ToPodGroup(const Metadata& metadata) {
  json::Value group = kube::NewObject(api::kPodGroups, metadata.ns, metadata.name);
  const edit::kai::PodGroup edit(group);
  WriteMetadata(metadata, edit.metadata());
  WriteSpec(metadata, edit.spec());
  return group;
}

}  // namespace coppice::services::grouper
