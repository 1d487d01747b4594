#include "backends/workload/objects.h"

#include <algorithm>

#include "api/edit/scheduling_v1alpha1.h"
#include "api/edit/scheduling_v1alpha2.h"
#include "api/edit/scheduling_v1alpha3.h"
#include "api/key/scheduling_v1alpha1.h"
#include "api/key/scheduling_v1alpha3.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;
// Everything that a version shares with v1alpha3, the latest one, is written with its types;
// v1beta1 is the same without composites.
namespace latest = edit::scheduling_v1alpha3;

std::string_view GroupNameOf(const Value& pod) {
  return view::core::Pod(pod).spec().schedulingGroup().podGroupName();
}

std::string MinCount() {
  return std::string(key::scheduling_v1alpha3::GangSchedulingPolicy::minCount);
}

bool IsGrouped(const Value& pod) { return !GroupNameOf(pod).empty(); }

void SetReference(const Plan& plan, const std::string& template_name,
                  latest::WorkloadReference out) {
  out.set_workloadName(plan.workload).set_templateName(template_name);
}

// {gang: {minCount}} or {basic: {}}.
void SetPolicy(int64_t min_count, latest::PodGroupSchedulingPolicy out) {
  if (min_count == 0) {
    out.set_basic(Value::Object());
  } else {
    out.gang().set_minCount(min_count);
  }
}

void SetCompositePolicy(int64_t min_groups, latest::CompositePodGroupSchedulingPolicy out) {
  if (min_groups == 0) {
    out.set_basic(Value::Object());
  } else {
    out.gang().set_minGroupCount(min_groups);
  }
}

// Sets schedulingConstraints, disruptionMode and priorityClassName, if the API keeps them, on a
// group, a composite, or a template of either.
template <typename Owner>
void SetGroupOptions(const Plan& plan, const std::string& topology_key, Owner owner) {
  if (!topology_key.empty()) owner.schedulingConstraints().add_topology().set_key(topology_key);
  if (!plan.api.has_disruption) return;
  if (plan.api.shape == ApiShape::k136) {
    edit::scheduling_v1alpha2::PodGroupSpec(owner.Json()).set_disruptionMode("PodGroup");
  } else {
    owner.disruptionMode().set_all(Value::Object());
  }
  if (!plan.priority_class.empty()) owner.set_priorityClassName(plan.priority_class);
}

void SetTemplate(const Plan& plan, const Group& group, latest::PodGroupTemplate out) {
  out.set_name(group.template_name);
  SetPolicy(group.min_count, out.schedulingPolicy());
  SetGroupOptions(plan, group.topology_key, out);
}

bool IsFirst(const std::string& name, std::vector<std::string>& seen) {
  if (std::find(seen.begin(), seen.end(), name) != seen.end()) return false;
  seen.push_back(name);
  return true;
}

// One template per name, in order of first use.
Value FlatTemplates(const Plan& plan) {
  Value templates = Value::Array();
  const edit::List<latest::PodGroupTemplate> list(templates);
  std::vector<std::string> seen;
  for (const Group& group : plan.groups) {
    if (IsFirst(group.template_name, seen)) SetTemplate(plan, group, list.Add());
  }
  return templates;
}

// The template tree below one composite.
Value CompositeTemplate(const Plan& plan, const Composite& composite) {
  Value item;
  const latest::CompositePodGroupTemplate out(item);
  out.set_name(composite.template_name);
  SetCompositePolicy(composite.min_groups, out.schedulingPolicy());
  SetGroupOptions(plan, composite.topology_key, out);
  std::vector<std::string> seen;
  for (const Group& group : plan.groups) {
    if (group.parent != composite.name || !IsFirst(group.template_name, seen)) continue;
    SetTemplate(plan, group, out.add_podGroupTemplates());
  }
  for (const Composite& child : plan.composites) {
    if (child.parent != composite.name) continue;
    out.compositePodGroupTemplates().Json().Append(CompositeTemplate(plan, child));
  }
  return item;
}

DesiredObject WorkloadObject(const GangInput& input, const Plan& plan, std::string_view field,
                             Value templates) {
  Value object = kube::NewObject(plan.api.workloads, input.gang.ns, plan.workload);
  const latest::WorkloadSpec spec = latest::Workload(object).spec();
  spec.controllerRef()
      .set_apiGroup(api::kPodGangs.group)
      .set_kind(api::kPodGangs.kind)
      .set_name(input.gang.name);
  spec.Json().Set(field, std::move(templates));
  DesiredObject desired{.resource = plan.api.workloads, .object = std::move(object)};
  desired.immutable = {{std::string(key::scheduling_v1alpha3::Workload::spec), std::string(field)}};
  if (plan.api.shape == ApiShape::k137) desired.editable_keys = {MinCount()};
  if (plan.api.shape != ApiShape::k135) desired.referenced_by = &IsGrouped;
  return desired;
}

DesiredObject PodGroupObject(const GangInput& input, const Plan& plan, const Group& group,
                             bool with_workload) {
  Value object = kube::NewObject(plan.api.pod_groups, input.gang.ns, group.name);
  const latest::PodGroupSpec spec = latest::PodGroup(object).spec();
  SetPolicy(group.min_count, spec.schedulingPolicy());
  if (!group.parent.empty()) spec.set_parentCompositePodGroupName(group.parent);
  if (with_workload && plan.api.shape == ApiShape::k136) {
    edit::scheduling_v1alpha2::PodGroupSpec(spec.Json())
        .podGroupTemplateRef()
        .workload()
        .set_workloadName(plan.workload)
        .set_podGroupTemplateName(group.template_name);
  } else if (with_workload) {
    SetReference(plan, group.template_name, spec.workloadRef());
  }
  SetGroupOptions(plan, group.topology_key, spec);
  DesiredObject desired{.resource = plan.api.pod_groups, .object = std::move(object)};
  desired.immutable = {{std::string(key::scheduling_v1alpha3::PodGroup::spec)}};
  if (plan.api.shape == ApiShape::k137) desired.editable_keys = {MinCount()};
  desired.referenced_by = [name = group.name](const Value& pod) {
    return GroupNameOf(pod) == name;
  };
  return desired;
}

void AddEntry(const std::string& name, int64_t min_count, Value& groups) {
  const auto entry = edit::List<edit::scheduling_v1alpha1::PodGroup>(groups).Add();
  entry.set_name(name);
  SetPolicy(min_count, latest::PodGroupSchedulingPolicy(entry.policy().Json()));
}

}  // namespace

std::vector<DesiredObject> ObjectsFlat(const GangInput& input, const Plan& plan) {
  std::vector<DesiredObject> objects;
  if (plan.groups.empty()) return objects;
  Value templates = FlatTemplates(plan);
  // Only admission reads the Workload; the groups also work without one.
  const bool with_workload = templates.size() <= kMaxTemplates;
  if (with_workload) {
    objects.push_back(WorkloadObject(input, plan,
                                     key::scheduling_v1alpha3::WorkloadSpec::podGroupTemplates,
                                     std::move(templates)));
  }
  for (const Group& group : plan.groups) {
    objects.push_back(PodGroupObject(input, plan, group, with_workload));
  }
  return objects;
}

std::vector<DesiredObject> ObjectsComposite(const GangInput& input, const Plan& plan) {
  std::vector<DesiredObject> objects;
  objects.push_back(WorkloadObject(
      input, plan, key::scheduling_v1alpha3::WorkloadSpec::compositePodGroupTemplates,
      Value::Array({CompositeTemplate(plan, plan.composites.front())})));
  for (const Composite& composite : plan.composites) {
    Value object = kube::NewObject(plan.api.composites, input.gang.ns, composite.name);
    const latest::CompositePodGroupSpec spec = latest::CompositePodGroup(object).spec();
    SetReference(plan, composite.template_name, spec.workloadRef());
    SetCompositePolicy(composite.min_groups, spec.schedulingPolicy());
    if (!composite.parent.empty()) spec.set_parentCompositePodGroupName(composite.parent);
    SetGroupOptions(plan, composite.topology_key, spec);
    objects.push_back({.resource = plan.api.composites,
                       .object = std::move(object),
                       .immutable = {{std::string(key::scheduling_v1alpha3::PodGroup::spec)}},
                       .referenced_by = &IsGrouped});
  }
  for (const Group& group : plan.groups) {
    objects.push_back(PodGroupObject(input, plan, group, /*with_workload=*/true));
  }
  return objects;
}

std::vector<DesiredObject> Objects135(const GangInput& input, const Plan& plan) {
  std::vector<DesiredObject> objects;
  Value groups = Value::Array();
  const auto flush = [&] {
    Plan part = plan;
    if (!objects.empty()) part.workload += "-w" + std::to_string(objects.size());
    objects.push_back(WorkloadObject(input, part, key::scheduling_v1alpha1::WorkloadSpec::podGroups,
                                     std::move(groups)));
    groups = Value::Array();
  };
  std::vector<std::string> seen;
  for (const Group& group : plan.groups) {
    const std::string& name = plan.groups.size() > kMaxTemplates ? group.template_name : group.name;
    if (!IsFirst(name, seen)) continue;
    if (groups.size() == kMaxTemplates) flush();
    AddEntry(name, group.min_count, groups);
  }
  // Created from the start, for roles that grow beyond their minimum: entries cannot be added
  // later.
  if (plan.mode == Mode::kFused && !groups.empty()) AddEntry("surplus", 0, groups);
  if (!groups.empty()) flush();
  return objects;
}

}  // namespace coppice::backends::workload
