#include "backends/workload/objects.h"

#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;

bool IsGrouped(const Value& pod) {
  return !pod["spec"]["schedulingGroup"]["podGroupName"].AsString().empty();
}

Value DisruptionMode(const ApiChoice& api) {
  if (api.shape == ApiShape::k136) return "PodGroup";
  return Value::Object({{"all", Value::Object()}});
}

Value TemplateRef(const Plan& plan, const std::string& template_name) {
  if (plan.api.shape == ApiShape::k136) {
    return Value::Object({{"workload", Value::Object({{"workloadName", plan.workload},
                                                      {"podGroupTemplateName", template_name}})}});
  }
  return Value::Object({{"workloadName", plan.workload}, {"templateName", template_name}});
}

// One template per name, in order of first use.
Value FlatTemplates(const Plan& plan) {
  Value templates = Value::Array();
  std::vector<std::string> seen;
  for (const Group& group : plan.groups) {
    if (std::find(seen.begin(), seen.end(), group.template_name) != seen.end()) continue;
    seen.push_back(group.template_name);
    Value item = Value::Object(
        {{"name", group.template_name}, {"schedulingPolicy", Policy(group.min_count)}});
    SetGroupOptions(plan, group.topology_key, item);
    templates.Append(std::move(item));
  }
  return templates;
}

Value CompositePolicy(int64_t min_groups) {
  if (min_groups == 0) return Value::Object({{"basic", Value::Object()}});
  return Value::Object({{"gang", Value::Object({{"minGroupCount", min_groups}})}});
}

// The template tree below one composite.
Value CompositeTemplate(const Plan& plan, const Composite& composite) {
  Value item = Value::Object({{"name", composite.template_name},
                              {"schedulingPolicy", CompositePolicy(composite.min_groups)}});
  SetGroupOptions(plan, composite.topology_key, item);
  std::vector<std::string> seen;
  for (const Group& group : plan.groups) {
    if (group.parent != composite.name) continue;
    if (std::find(seen.begin(), seen.end(), group.template_name) != seen.end()) continue;
    seen.push_back(group.template_name);
    Value leaf = Value::Object(
        {{"name", group.template_name}, {"schedulingPolicy", Policy(group.min_count)}});
    SetGroupOptions(plan, group.topology_key, leaf);
    item.Mutable("podGroupTemplates").Append(std::move(leaf));
  }
  for (const Composite& child : plan.composites) {
    if (child.parent != composite.name) continue;
    item.Mutable("compositePodGroupTemplates").Append(CompositeTemplate(plan, child));
  }
  return item;
}

DesiredObject WorkloadObject(const GangInput& input, const Plan& plan, std::string_view field,
                             Value templates) {
  Value object = kube::NewObject(plan.api.workloads, input.gang.ns, plan.workload);
  object.Set("spec", Value::Object(
                         {{"controllerRef", ControllerRef(input)}, {field, std::move(templates)}}));
  DesiredObject desired{.resource = plan.api.workloads, .object = std::move(object)};
  desired.immutable = {{"spec", std::string(field)}};
  if (plan.api.shape == ApiShape::k137) desired.editable_keys = {"minCount"};
  if (plan.api.shape != ApiShape::k135) desired.referenced_by = &IsGrouped;
  return desired;
}

}  // namespace

Value ControllerRef(const GangInput& input) {
  return Value::Object(
      {{"apiGroup", "scheduler.grove.io"}, {"kind", "PodGang"}, {"name", input.gang.name}});
}

Value Policy(int64_t min_count) {
  if (min_count == 0) return Value::Object({{"basic", Value::Object()}});
  return Value::Object({{"gang", Value::Object({{"minCount", min_count}})}});
}

void SetGroupOptions(const Plan& plan, const std::string& topology_key, Value& spec) {
  if (!topology_key.empty()) {
    spec.Set("schedulingConstraints",
             Value::Object({{"topology", Value::Array({Value::Object({{"key", topology_key}})})}}));
  }
  if (!plan.api.has_disruption) return;
  spec.Set("disruptionMode", DisruptionMode(plan.api));
  if (!plan.priority_class.empty()) spec.Set("priorityClassName", plan.priority_class);
}

DesiredObject PodGroupObject(const GangInput& input, const Plan& plan, const Group& group,
                             bool with_workload) {
  Value object = kube::NewObject(plan.api.pod_groups, input.gang.ns, group.name);
  Value spec = Value::Object({{"schedulingPolicy", Policy(group.min_count)}});
  if (!group.parent.empty()) spec.Set("parentCompositePodGroupName", group.parent);
  if (with_workload) {
    spec.Set(plan.api.shape == ApiShape::k136 ? "podGroupTemplateRef" : "workloadRef",
             TemplateRef(plan, group.template_name));
  }
  SetGroupOptions(plan, group.topology_key, spec);
  object.Set("spec", std::move(spec));
  DesiredObject desired{.resource = plan.api.pod_groups, .object = std::move(object)};
  desired.immutable = {{"spec"}};
  if (plan.api.shape == ApiShape::k137) desired.editable_keys = {"minCount"};
  const std::string name = group.name;
  desired.referenced_by = [name](const Value& pod) {
    return pod["spec"]["schedulingGroup"]["podGroupName"].AsString() == name;
  };
  return desired;
}

std::vector<DesiredObject> ObjectsFlat(const GangInput& input, const Plan& plan) {
  std::vector<DesiredObject> objects;
  if (plan.groups.empty()) return objects;
  Value templates = FlatTemplates(plan);
  // Nobody but admission reads the Workload: without one the groups still work.
  const bool with_workload = templates.size() <= kMaxTemplates;
  if (with_workload) {
    objects.push_back(WorkloadObject(input, plan, "podGroupTemplates", std::move(templates)));
  }
  for (const Group& group : plan.groups) {
    objects.push_back(PodGroupObject(input, plan, group, with_workload));
  }
  return objects;
}

std::vector<DesiredObject> ObjectsComposite(const GangInput& input, const Plan& plan) {
  std::vector<DesiredObject> objects;
  objects.push_back(
      WorkloadObject(input, plan, "compositePodGroupTemplates",
                     Value::Array({CompositeTemplate(plan, plan.composites.front())})));
  for (const Composite& composite : plan.composites) {
    Value object = kube::NewObject(plan.api.composites, input.gang.ns, composite.name);
    Value spec = Value::Object({{"workloadRef", TemplateRef(plan, composite.template_name)},
                                {"schedulingPolicy", CompositePolicy(composite.min_groups)}});
    if (!composite.parent.empty()) spec.Set("parentCompositePodGroupName", composite.parent);
    SetGroupOptions(plan, composite.topology_key, spec);
    object.Set("spec", std::move(spec));
    objects.push_back({.resource = plan.api.composites,
                       .object = std::move(object),
                       .immutable = {{"spec"}},
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
    objects.push_back(WorkloadObject(input, part, "podGroups", std::move(groups)));
    groups = Value::Array();
  };
  std::vector<std::string> seen;
  for (const Group& group : plan.groups) {
    const std::string& name = plan.groups.size() > kMaxTemplates ? group.template_name : group.name;
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    if (groups.size() == kMaxTemplates) flush();
    groups.Append(Value::Object({{"name", name}, {"policy", Policy(group.min_count)}}));
  }
  // There from the start, for roles that grow beyond their minimum: entries cannot be added later.
  if (plan.mode == Mode::kFused && !groups.empty()) {
    groups.Append(Value::Object({{"name", "surplus"}, {"policy", Policy(0)}}));
  }
  if (!groups.empty()) flush();
  return objects;
}

}  // namespace coppice::backends::workload
