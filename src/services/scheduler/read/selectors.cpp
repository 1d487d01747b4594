#include "services/scheduler/read/selectors.h"

#include <algorithm>

#include "api/edit/core.h"
#include "json/strings.h"

namespace coppice::services::scheduler {
namespace {

using engine::SelectorOperator;

struct OperatorName {
  std::string_view name;
  SelectorOperator op;
};

constexpr OperatorName kOperators[] = {
    {"In", SelectorOperator::kIn},          {"NotIn", SelectorOperator::kNotIn},
    {"Exists", SelectorOperator::kExists},  {"DoesNotExist", SelectorOperator::kDoesNotExist},
    {"Gt", SelectorOperator::kGreaterThan}, {"Lt", SelectorOperator::kLessThan},
};

template <typename Requirement>
engine::SelectorRequirement ReadRequirement(Requirement in) {
  engine::SelectorRequirement out{std::string(in.key()), SelectorOperator::kIn,
                                  json::ReadStrings(in.values().Json())};
  for (const OperatorName& known : kOperators) {
    if (in.operator_() == known.name) {
      out.op = known.op;
      return out;
    }
  }
  out.values.clear();  // "In" nothing.
  return out;
}

template <typename Requirement>
std::vector<engine::SelectorRequirement> ReadRequirements(view::List<Requirement> list) {
  std::vector<engine::SelectorRequirement> out;
  for (const Requirement item : list) out.push_back(ReadRequirement(item));
  return out;
}

// Labels that other pods must have in common with this one, or not. API servers since 1.31 add
// them to the selector by themselves.
void AddLabelKeys(view::List<std::string_view> keys, SelectorOperator op,
                  const engine::Labels& labels, engine::LabelSelector& selector) {
  for (const std::string_view key : keys) {
    const auto own = labels.find(std::string(key));
    const auto& present = selector.match_expressions;
    const bool added = std::any_of(present.begin(), present.end(),
                                   [&](const auto& expression) { return expression.key == key; });
    if (own == labels.end() || added) continue;
    selector.match_expressions.push_back({own->first, op, {own->second}});
  }
}

engine::PodAffinityTerm ReadPodTerm(view::core::PodAffinityTerm in, const engine::Labels& labels) {
  engine::PodAffinityTerm term;
  if (in.has_labelSelector()) {
    term.selector = ReadLabelSelector(in.labelSelector());
    AddLabelKeys(in.matchLabelKeys(), SelectorOperator::kIn, labels, *term.selector);
    AddLabelKeys(in.mismatchLabelKeys(), SelectorOperator::kNotIn, labels, *term.selector);
  }
  term.namespaces = json::ReadStrings(in.namespaces().Json());
  if (in.has_namespaceSelector()) {
    term.namespace_selector = ReadLabelSelector(in.namespaceSelector());
  }
  term.topology_key = in.topologyKey();
  return term;
}

// Of a PodAffinity or PodAntiAffinity.
template <typename PodAffinity>
std::vector<engine::PodAffinityTerm> ReadRequired(PodAffinity affinity,
                                                  const engine::Labels& labels) {
  std::vector<engine::PodAffinityTerm> out;
  for (const auto term : affinity.requiredDuringSchedulingIgnoredDuringExecution()) {
    out.push_back(ReadPodTerm(term, labels));
  }
  return out;
}

template <typename PodAffinity>
std::vector<engine::WeightedPodAffinityTerm> ReadPreferred(PodAffinity affinity,
                                                           const engine::Labels& labels) {
  std::vector<engine::WeightedPodAffinityTerm> out;
  for (const auto term : affinity.preferredDuringSchedulingIgnoredDuringExecution()) {
    out.push_back({static_cast<int>(term.weight()), ReadPodTerm(term.podAffinityTerm(), labels)});
  }
  return out;
}

engine::NodeSelectorTerm ReadNodeSelectorTerm(view::core::NodeSelectorTerm term) {
  return {ReadRequirements(term.matchExpressions()), ReadRequirements(term.matchFields())};
}

template <typename TolerationView>
std::vector<engine::Toleration> ReadEachToleration(view::List<TolerationView> list) {
  std::vector<engine::Toleration> out;
  for (const TolerationView item : list) {
    out.push_back({std::string(item.key()), std::string(item.operator_()),
                   std::string(item.value()), std::string(item.effect())});
  }
  return out;
}

template <typename TaintView>
std::vector<engine::Taint> ReadEachTaint(view::List<TaintView> list) {
  std::vector<engine::Taint> out;
  for (const TaintView item : list) {
    out.push_back({std::string(item.key()), std::string(item.value()), std::string(item.effect())});
  }
  return out;
}

std::string_view NameOf(SelectorOperator op) {
  for (const OperatorName& known : kOperators) {
    if (known.op == op) return known.name;
  }
  return "";
}

json::Value WriteRequirements(const std::vector<engine::SelectorRequirement>& requirements) {
  json::Value out = json::Value::Array();
  const edit::List<edit::core::NodeSelectorRequirement> list(out);
  for (const engine::SelectorRequirement& requirement : requirements) {
    const auto item = list.Add().set_key(requirement.key).set_operator_(NameOf(requirement.op));
    if (!requirement.values.empty()) item.set_values(json::StringList(requirement.values));
  }
  return out;
}

}  // namespace

engine::Labels ReadLabels(view::Map<std::string_view> map) {
  engine::Labels labels;
  for (const auto [key, value] : map) labels.emplace_hint(labels.end(), key, value);
  return labels;
}

engine::LabelSelector ReadLabelSelector(view::meta::LabelSelector selector) {
  return {ReadLabels(selector.matchLabels()), ReadRequirements(selector.matchExpressions())};
}

engine::NodeSelector ReadNodeSelector(view::core::NodeSelector selector) {
  engine::NodeSelector out;
  for (const auto term : selector.nodeSelectorTerms()) {
    out.terms.push_back(ReadNodeSelectorTerm(term));
  }
  return out;
}

engine::Affinity ReadAffinity(view::core::Affinity affinity, const engine::Labels& labels) {
  engine::Affinity out;
  const view::core::NodeAffinity nodes = affinity.nodeAffinity();
  const auto required = nodes.requiredDuringSchedulingIgnoredDuringExecution();
  if (required) out.required_nodes = ReadNodeSelector(required);
  for (const auto term : nodes.preferredDuringSchedulingIgnoredDuringExecution()) {
    out.preferred_nodes.push_back(
        {static_cast<int>(term.weight()), ReadNodeSelectorTerm(term.preference())});
  }
  out.required_pods = ReadRequired(affinity.podAffinity(), labels);
  out.preferred_pods = ReadPreferred(affinity.podAffinity(), labels);
  out.required_anti_pods = ReadRequired(affinity.podAntiAffinity(), labels);
  out.preferred_anti_pods = ReadPreferred(affinity.podAntiAffinity(), labels);
  return out;
}

std::vector<engine::Toleration> ReadTolerations(view::List<view::core::Toleration> list) {
  return ReadEachToleration(list);
}

std::vector<engine::Toleration> ReadTolerations(view::List<view::resource::DeviceToleration> list) {
  return ReadEachToleration(list);
}

std::vector<engine::Taint> ReadTaints(view::List<view::core::Taint> list) {
  return ReadEachTaint(list);
}

std::vector<engine::Taint> ReadTaints(view::List<view::resource::DeviceTaint> list) {
  return ReadEachTaint(list);
}

engine::ResourceList ReadResourceList(view::Quantities map) {
  engine::ResourceList out;
  for (const auto& [name, amount] : map) {
    const base::Result<base::Quantity> quantity = amount.IsInt()
                                                      ? base::Quantity::FromUnits(amount.AsInt())
                                                      : base::Quantity::Parse(amount.AsString());
    if (quantity) out.emplace_hint(out.end(), name, *quantity);
  }
  return out;
}

std::optional<base::Time> ReadTime(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const base::Result<base::Time> time = base::ParseRfc3339(text);
  if (!time) return std::nullopt;
  return *time;
}

std::optional<base::Duration> ReadDuration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const base::Result<base::Duration> duration = base::ParseDuration(text);
  if (!duration) return std::nullopt;
  return *duration;
}

json::Value WriteNodeSelector(const engine::NodeSelector& selector) {
  json::Value out;
  const edit::core::NodeSelector edit(out);
  edit.set_nodeSelectorTerms(json::Value::Array());
  for (const engine::NodeSelectorTerm& term : selector.terms) {
    const edit::core::NodeSelectorTerm item = edit.add_nodeSelectorTerms();
    if (!term.match_expressions.empty()) {
      item.set_matchExpressions(WriteRequirements(term.match_expressions));
    }
    if (!term.match_fields.empty()) item.set_matchFields(WriteRequirements(term.match_fields));
  }
  return out;
}

}  // namespace coppice::services::scheduler
