#include "backends/workload/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/view/core.h"
#include "api/view/scheduling_v1alpha3.h"
#include "backends/framework/pods.h"
#include "backends/model/names.h"
#include "kube/object.h"

namespace coppice::backends::workload {
namespace {

using json::Value;

Mode ChooseMode(const GangInput& input, const ApiChoice& api) {
  const std::string_view asked = input.profile.Config().gangMode();
  if (asked == "Split") return Mode::kSplit;
  const bool single = input.gang.pod_groups.size() == 1 &&
                      input.gang.ConfigOf(input.gang.pod_groups.front().name) == nullptr;
  if (single && asked != "Fused" && asked != "Composite") return Mode::kSimple;
  if (api.has_composites && asked != "Fused") return Mode::kComposite;
  return Mode::kFused;
}

Expressiveness ExpressivenessOf(const Plan& plan, const Scope& scope, bool required) {
  if (!required || !plan.api.has_topology) return Expressiveness::kNone;
  switch (plan.mode) {
    case Mode::kSimple:
    case Mode::kComposite:
      return Expressiveness::kNative;
    case Mode::kFused:
      return scope.kind == ScopeKind::kGang ? Expressiveness::kNative : Expressiveness::kNone;
    case Mode::kSplit:
      return scope.kind == ScopeKind::kGroup ? Expressiveness::kNative : Expressiveness::kNone;
  }
  return Expressiveness::kNone;
}

class Planner {
 public:
  explicit Planner(const GangInput& input) : input_(input) {
    plan_.api = ChooseApi(*input.capabilities, input.profile);
    plan_.mode = ChooseMode(input, plan_.api);
  }

  Plan Make() {
    if (plan_.api.shape == ApiShape::kNone) {
      Refuse(reasons::kBackendUnavailable, "",
             "the cluster serves no scheduling.k8s.io workloads; start kube-apiserver with "
             "--runtime-config=scheduling.k8s.io/<version>=true");
      return std::move(plan_);
    }
    CheckPods();
    SetPriorityClass();
    plan_.topology =
        PlanTopology(input_, {.expressiveness = [this](const Scope& scope, bool required) {
                       return ExpressivenessOf(plan_, scope, required);
                     }});
    if (plan_.topology.refusal && !plan_.refusal) plan_.refusal = plan_.topology.refusal;
    plan_.workload = Name(plan_.api.workloads, input_.gang.name);
    Lay();
    return std::move(plan_);
  }

 private:
  void Refuse(std::string_view reason, std::string path, std::string message) {
    if (!plan_.refusal) plan_.refusal = Refusal{std::string(reason), std::move(path), message};
  }

  void CheckPods() {
    if (!plan_.api.has_pod_field) {
      Refuse(reasons::kCapabilityMissing, "",
             "the API server drops the group reference of pods; enable feature gate "
             "GenericWorkload");
    }
    if (plan_.api.shape != ApiShape::k137 || plan_.api.has_claims) return;
    for (const PodGroupInfo& group : input_.gang.pod_groups) {
      for (const auto claim : view::core::PodSpec(group.pod_spec).resourceClaims()) {
        if (!claim.has_resourceClaimTemplateName()) continue;
        Refuse(reasons::kCapabilityMissing, fmt::format("spec.podgroups[name={}]", group.name),
               fmt::format("pods of group {} take a claim from a template, which members of a "
                           "group get only with feature gate DRAWorkloadResourceClaims; enable it "
                           "or name a ResourceClaim",
                           group.name));
      }
    }
  }

  // A gang without its own priority has that of its pods: since 1.37 the scheduler rejects groups
  // whose pods have a different one.
  void SetPriorityClass() {
    plan_.priority_class = input_.gang.priority_class_name;
    if (!plan_.priority_class.empty()) return;
    std::set<std::string> classes;
    for (const PodGroupInfo& group : input_.gang.pod_groups) {
      const view::core::PodSpec spec(group.pod_spec);
      if (spec) classes.emplace(spec.priorityClassName());
    }
    if (classes.size() == 1) plan_.priority_class = *classes.begin();
    if (classes.size() <= 1 || plan_.api.shape != ApiShape::k137) return;
    Refuse(reasons::kPriorityMismatch, "spec.podgroups",
           fmt::format("roles of one gang have different priority classes: \"{}\"; use one",
                       fmt::join(classes, "\", \"")));
  }

  std::string Name(const api::Resource& resource, const std::string& wanted) {
    const auto name = ChooseName(input_, resource, Short(wanted, kObjectNameLimit));
    if (name) return *name;
    Refuse(reasons::kNameConflict, "metadata.name", name.error().message());
    return wanted;
  }

  // In 1.35 groups are entries of the Workload, not separate objects.
  std::string GroupName(const std::string& wanted) {
    return plan_.api.shape == ApiShape::k135 ? ShortLabel(wanted)
                                             : Name(plan_.api.pod_groups, wanted);
  }

  void Lay() {
    switch (plan_.mode) {
      case Mode::kSimple:
        return LaySimple();
      case Mode::kFused:
        return LayFused();
      case Mode::kSplit:
        return LaySplit();
      case Mode::kComposite:
        return LayComposite();
    }
  }

  Group GroupFor(const PodGroupInfo& role) {
    return {.name = GroupName(role.name),
            .template_name = ShortLabel(role.name),
            .min_count = EffectiveMinimum(plan_.api, role),
            .topology_key = plan_.topology.Native(ScopeKind::kGroup, role.name).required,
            .parent = {},
            .roles = {role.name}};
  }

  void LaySimple() {
    Group group = GroupFor(input_.gang.pod_groups.front());
    if (group.topology_key.empty()) {
      group.topology_key = plan_.topology.Native(ScopeKind::kGang, input_.gang.name).required;
    }
    // Only a tree has groups without a minimum; otherwise their pods are in no group.
    if (group.min_count > 0 || plan_.api.shape == ApiShape::k137) {
      plan_.groups.push_back(std::move(group));
    }
  }

  void LayFused() {
    Group fused{.name = plan_.api.shape == ApiShape::k135 ? "gang" : GroupName(input_.gang.name),
                .template_name = "gang",
                .min_count = 0,
                .topology_key = plan_.topology.Native(ScopeKind::kGang, input_.gang.name).required,
                .parent = {},
                .roles = {}};
    for (const PodGroupInfo& role : input_.gang.pod_groups) {
      const int64_t minimum = EffectiveMinimum(plan_.api, role);
      fused.min_count += minimum;
      if (minimum > 0) fused.roles.push_back(role.name);
    }
    if (fused.min_count > 0) plan_.groups.push_back(std::move(fused));
  }

  void LaySplit() {
    for (const PodGroupInfo& role : input_.gang.pod_groups) {
      Group group = GroupFor(role);
      if (group.min_count > 0) plan_.groups.push_back(std::move(group));
    }
    if (plan_.groups.size() > 1) {
      plan_.topology.outcomes.push_back({Outcome::Kind::kDropped, "spec.podgroups", "",
                                         "each role is a gang of its own (gangMode: Split)"});
    }
    ShareTemplates("", plan_.groups);
  }

  // Equal groups of a parent share a template if there are more groups than the API allows
  // templates. Template names are unique in the whole tree.
  static void ShareTemplates(const std::string& parent, std::vector<Group>& groups) {
    if (groups.size() <= kMaxTemplates) return;
    for (Group& group : groups) {
      std::string shape = fmt::format("{}|{}", group.min_count, group.topology_key);
      if (!parent.empty()) shape += "|" + parent;
      group.template_name = "t-" + HashHex(shape, 8);
    }
  }

  void LayComposite() {
    plan_.composites.push_back(
        {.name = Name(plan_.api.composites, input_.gang.name),
         .template_name = "gang",
         .topology_key = plan_.topology.Native(ScopeKind::kGang, input_.gang.name).required,
         .parent = {},
         .min_groups = 0});
    LayConfigs();
    std::vector<Group> loose;
    for (const PodGroupInfo& role : input_.gang.pod_groups) {
      if (input_.gang.ConfigOf(role.name) == nullptr) loose.push_back(GroupFor(role));
    }
    AddChildren(0, std::move(loose));
    CountChildren();
  }

  // If there are more configs than a composite may have children, they are split among additional
  // composites.
  void LayConfigs() {
    std::vector<const TopologyGroupConfig*> configs;
    for (const TopologyGroupConfig& config : input_.gang.group_configs) {
      if (!config.pod_group_names.empty()) configs.push_back(&config);
    }
    const std::string root = plan_.composites.front().name;
    const bool wrap = configs.size() > kMaxTemplates;
    std::map<size_t, std::string> wrappers;
    for (size_t i = 0; i < configs.size(); ++i) {
      LayConfig(*configs[i], wrap ? WrapperFor(root, "c", i, wrappers) : root);
    }
  }

  // Must not be a gang's name: the first scaled gang of a group is named like the config of the
  // group's first replica, and each would mistake the other's composite for its own. An existing
  // one with another name keeps it.
  std::string ConfigName(const TopologyGroupConfig& config) {
    if (input_.cluster && !input_.gang.uid.empty()) {
      for (const Value& live : input_.cluster->OwnedBy(plan_.api.composites, input_.gang.uid)) {
        const view::scheduling_v1alpha3::CompositePodGroup composite(live);
        const std::string_view of = composite.spec().workloadRef().templateName();
        if (of == ShortLabel(config.name)) return std::string(kube::Name(live));
      }
    }
    return Name(plan_.api.composites, config.name + "-config");
  }

  void LayConfig(const TopologyGroupConfig& config, const std::string& parent) {
    plan_.composites.push_back(
        {.name = ConfigName(config),
         .template_name = ShortLabel(config.name),
         .topology_key = plan_.topology.Native(ScopeKind::kConfig, config.name).required,
         .parent = parent,
         .min_groups = 0});
    std::vector<Group> members;
    for (const std::string& name : config.pod_group_names) {
      members.push_back(GroupFor(*input_.gang.FindGroup(name)));
    }
    AddChildren(plan_.composites.size() - 1, std::move(members));
  }

  // At most eight templates per parent; additional shapes go below additional composites.
  void AddChildren(size_t parent, std::vector<Group> groups) {
    const std::string parent_name = plan_.composites[parent].name;
    ShareTemplates(parent == 0 ? "" : parent_name, groups);
    std::map<std::string, size_t> shapes;
    for (const Group& group : groups) shapes.emplace(group.template_name, shapes.size());
    const bool wrap = shapes.size() > kMaxTemplates;
    std::map<size_t, std::string> wrappers;
    for (Group& group : groups) {
      group.parent = parent_name;
      if (wrap) group.parent = WrapperFor(parent_name, "x", shapes[group.template_name], wrappers);
      plan_.groups.push_back(std::move(group));
    }
  }

  std::string WrapperFor(const std::string& parent, std::string_view kind, size_t child,
                         std::map<size_t, std::string>& wrappers) {
    const size_t index = child / kMaxTemplates;
    const auto known = wrappers.find(index);
    if (known != wrappers.end()) return known->second;
    const std::string wanted = fmt::format("{}-{}{}", parent, kind, index);
    const std::string name = Name(plan_.api.composites, wanted);
    plan_.composites.push_back({.name = name,
                                .template_name = ShortLabel(wanted),
                                .topology_key = {},
                                .parent = parent,
                                .min_groups = 0});
    wrappers.emplace(index, name);
    return name;
  }

  // A parent needs all children that have a minimum.
  void CountChildren() {
    std::map<std::string, int64_t> needed;
    for (const Group& group : plan_.groups) needed[group.parent] += group.min_count > 0;
    for (size_t i = plan_.composites.size(); i-- > 0;) {
      Composite& composite = plan_.composites[i];
      composite.min_groups = needed[composite.name];
      if (composite.min_groups > 0) needed[composite.parent] += 1;
    }
  }

  const GangInput& input_;
  Plan plan_;
};

}  // namespace

const Group* Plan::GroupOf(std::string_view role) const {
  for (const Group& group : groups) {
    if (std::find(group.roles.begin(), group.roles.end(), role) != group.roles.end()) {
      return &group;
    }
  }
  return nullptr;
}

int64_t EffectiveMinimum(const ApiChoice& api, const PodGroupInfo& group) {
  if (group.min_replicas > 0 || group.template_min_replicas == 0) return group.min_replicas;
  return api.shape == ApiShape::k137 ? 1 : group.template_min_replicas;
}

Plan MakePlan(const GangInput& input) { return Planner(input).Make(); }

}  // namespace coppice::backends::workload
