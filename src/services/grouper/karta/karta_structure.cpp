#include "services/grouper/karta/karta_structure.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/write.h"

namespace coppice::services::grouper {
namespace {

using json::Value;

base::Error Bad(std::string_view what) { return base::InvalidArgument(std::string(what)); }

base::Status ReadPath(std::string_view text, std::optional<Jq>& target) {
  if (text.empty()) return {};
  COPPICE_ASSIGN(target, Jq::Parse(text));
  return {};
}

base::Status CheckRoot(view::karta::ComponentDefinition root) {
  const view::karta::GroupVersionKind kind = root.kind();
  if (!kind.has_group() || !kind.has_version() || !kind.has_kind()) {
    return Bad("the root component has no complete kind");
  }
  if (!root.ownerRef().empty()) return Bad("the root component has an owner");
  if (!root.has_statusDefinition()) return Bad("the root component has no statusDefinition");
  return {};
}

std::string TextOf(const Value& value) {
  return value.IsString() ? value.ToString() : json::Write(value);
}

}  // namespace

base::Result<KartaStructure::Component> KartaStructure::ReadComponent(
    view::karta::ComponentDefinition definition) {
  Component out;
  out.parent = definition.ownerRef();
  const view::karta::PodSelector selector = definition.podSelector();
  const view::karta::ComponentTypeSelector type = selector.componentTypeSelector();
  COPPICE_TRY(ReadPath(type.keyPath(), out.key_path));
  if (type.has_value()) out.key_value = type.value();
  COPPICE_TRY(ReadPath(definition.scaleDefinition().replicasPath(), out.replicas));
  COPPICE_TRY(ReadPath(definition.scaleDefinition().minReplicasPath(), out.min_replicas));
  COPPICE_TRY(ReadPath(definition.instanceIdPath(), out.instance_id));
  COPPICE_TRY(ReadPath(selector.componentInstanceSelector().idPath(), out.pod_instance));
  if (out.instance_id.has_value() != out.pod_instance.has_value()) {
    return Bad("instanceIdPath and componentInstanceSelector come together");
  }
  if (definition.specDefinition().size() > 1) {
    return Bad("a component has several forms of pod spec");
  }
  return out;
}

base::Result<KartaStructure> KartaStructure::Read(view::karta::Karta karta) {
  const view::karta::StructureDefinition definition = karta.spec().structureDefinition();
  const view::karta::ComponentDefinition root = definition.rootComponent();
  COPPICE_TRY(CheckRoot(root));
  KartaStructure out;
  out.root_ = root.name();
  COPPICE_ASSIGN(out.components_[out.root_], ReadComponent(root));
  for (const view::karta::ComponentDefinition child : definition.childComponents()) {
    const std::string name(child.name());
    if (out.components_.contains(name)) return Bad("two components are called " + name);
    COPPICE_ASSIGN(out.components_[name], ReadComponent(child));
  }
  COPPICE_TRY(out.Link());
  return out;
}

base::Status KartaStructure::Link() {
  for (auto& [name, component] : components_) {
    if (name == root_) continue;
    const auto parent = components_.find(component.parent);
    if (parent == components_.end()) return Bad("component " + name + " has no owner that exists");
    parent->second.children.push_back(name);
    std::string above = component.parent;
    for (size_t steps = 0; above != root_; ++steps) {
      if (steps > components_.size()) return Bad("component " + name + " owns itself");
      above = components_[above].parent;
      if (!components_.contains(above)) return Bad("component " + name + " is not below the root");
    }
  }
  return {};
}

const std::string& KartaStructure::ParentOf(const std::string& component) const {
  return components_.at(component).parent;
}

base::Result<bool> KartaStructure::Matches(const Component& component, const Value& pod) const {
  if (!component.key_path) return false;
  COPPICE_ASSIGN(const std::vector<Value> values, component.key_path->Evaluate(pod));
  return std::any_of(values.begin(), values.end(), [&](const Value& value) {
    if (value.IsNull()) return false;
    return !component.key_value || TextOf(value) == *component.key_value;
  });
}

base::Result<bool> KartaStructure::Contains(const std::string& name, const Value& pod) const {
  const Component& component = components_.at(name);
  COPPICE_ASSIGN(const bool own, Matches(component, pod));
  if (own) return true;
  for (const std::string& child : component.children) {
    COPPICE_ASSIGN(const bool below, Contains(child, pod));
    if (below) return true;
  }
  return false;
}

base::Result<std::optional<std::string>> KartaStructure::LeafOf(const Value& pod) const {
  if (components_.size() == 1) return std::optional(root_);
  for (const auto& [name, component] : components_) {
    if (!component.children.empty()) continue;
    COPPICE_ASSIGN(const bool own, Matches(component, pod));
    if (own) return std::optional(name);
  }
  return std::optional<std::string>();
}

bool KartaStructure::SubtreeHasScale(const std::string& name) const {
  const Component& component = components_.at(name);
  return component.HasScale() ||
         std::any_of(component.children.begin(), component.children.end(),
                     [&](const std::string& child) { return SubtreeHasScale(child); });
}

// Of every instance: its minimum where that is above zero, else its replicas.
base::Result<std::vector<int64_t>> KartaStructure::Scales(const Component& component,
                                                          const Value& workload) const {
  std::vector<Value> replicas, minimums;
  if (component.replicas) {
    COPPICE_ASSIGN(replicas, component.replicas->Evaluate(workload));
  }
  if (component.min_replicas) {
    COPPICE_ASSIGN(minimums, component.min_replicas->Evaluate(workload));
  }
  std::vector<int64_t> scales(std::max(replicas.size(), minimums.size()));
  for (size_t i = 0; i < scales.size(); ++i) {
    const int64_t minimum = i < minimums.size() ? minimums[i].AsInt() : 0;
    scales[i] = minimum > 0 ? minimum : i < replicas.size() ? replicas[i].AsInt() : 0;
  }
  return scales;
}

base::Result<int64_t> KartaStructure::CountLeaves(const std::string& name,
                                                  const Value& workload) const {
  const Component& component = components_.at(name);
  int64_t instances = 1;
  if (component.instance_id) {
    COPPICE_ASSIGN(const std::vector<Value> ids, component.instance_id->Evaluate(workload));
    instances = static_cast<int64_t>(ids.size());
  }
  if (component.children.empty()) return instances;
  int64_t leaves = 0;
  for (const std::string& child : component.children) {
    COPPICE_ASSIGN(const int64_t below, CountLeaves(child, workload));
    leaves += below;
  }
  return leaves * instances;
}

base::Result<int64_t> KartaStructure::SubtreeScale(const std::string& name,
                                                   const Value& workload) const {
  if (!SubtreeHasScale(name)) return CountLeaves(name, workload);
  const Component& component = components_.at(name);
  int64_t own = 0, below = 0;
  COPPICE_ASSIGN(const std::vector<int64_t> scales, Scales(component, workload));
  for (const int64_t scale : scales) own += scale;
  for (const std::string& child : component.children) {
    COPPICE_ASSIGN(const int64_t scale, SubtreeScale(child, workload));
    below += scale;
  }
  if (own <= 0) return below;
  return below <= 0 ? own : own * below;
}

base::Result<int64_t> KartaStructure::InstanceScale(const std::string& name, const Value& workload,
                                                    const Value& pod) const {
  const Component& component = components_.at(name);
  if (!component.instance_id || !component.HasScale()) return SubtreeScale(name, workload);
  COPPICE_ASSIGN(const std::vector<Value> ids, component.instance_id->Evaluate(workload));
  COPPICE_ASSIGN(const std::vector<Value> own, component.pod_instance->Evaluate(pod));
  COPPICE_ASSIGN(const std::vector<int64_t> scales, Scales(component, workload));
  for (size_t i = 0; i < ids.size() && i < scales.size(); ++i) {
    if (own.size() == 1 && TextOf(ids[i]) == TextOf(own.front())) return scales[i];
  }
  return SubtreeScale(name, workload);
}

}  // namespace coppice::services::grouper
