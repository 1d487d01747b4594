#include "services/scheduler/read/selectors.h"

#include <algorithm>

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

engine::SelectorRequirement ReadRequirement(const json::Value& value) {
  engine::SelectorRequirement requirement{value["key"].ToString(), SelectorOperator::kIn,
                                          json::ReadStrings(value["values"])};
  for (const OperatorName& known : kOperators) {
    if (value["operator"].AsString() == known.name) {
      requirement.op = known.op;
      return requirement;
    }
  }
  requirement.values.clear();  // "In" nothing.
  return requirement;
}

std::vector<engine::SelectorRequirement> ReadRequirements(const json::Value& list) {
  std::vector<engine::SelectorRequirement> out;
  for (const json::Value& item : list.Items()) out.push_back(ReadRequirement(item));
  return out;
}

// Labels that other pods must have in common with this one, or not. API servers since 1.31 add
// them to the selector by themselves.
void AddLabelKeys(const json::Value& keys, SelectorOperator op, const engine::Labels& labels,
                  engine::LabelSelector& selector) {
  for (const json::Value& key : keys.Items()) {
    const auto own = labels.find(key.ToString());
    const auto& present = selector.match_expressions;
    const bool added = std::any_of(present.begin(), present.end(), [&](const auto& expression) {
      return expression.key == key.AsString();
    });
    if (own == labels.end() || added) continue;
    selector.match_expressions.push_back({own->first, op, {own->second}});
  }
}

engine::PodAffinityTerm ReadPodTerm(const json::Value& value, const engine::Labels& labels) {
  engine::PodAffinityTerm term;
  if (value.Has("labelSelector")) {
    term.selector = ReadLabelSelector(value["labelSelector"]);
    AddLabelKeys(value["matchLabelKeys"], SelectorOperator::kIn, labels, *term.selector);
    AddLabelKeys(value["mismatchLabelKeys"], SelectorOperator::kNotIn, labels, *term.selector);
  }
  term.namespaces = json::ReadStrings(value["namespaces"]);
  if (value.Has("namespaceSelector")) {
    term.namespace_selector = ReadLabelSelector(value["namespaceSelector"]);
  }
  term.topology_key = value["topologyKey"].ToString();
  return term;
}

std::vector<engine::PodAffinityTerm> ReadRequired(const json::Value& affinity,
                                                  const engine::Labels& labels) {
  std::vector<engine::PodAffinityTerm> out;
  for (const json::Value& term :
       affinity["requiredDuringSchedulingIgnoredDuringExecution"].Items()) {
    out.push_back(ReadPodTerm(term, labels));
  }
  return out;
}

std::vector<engine::WeightedPodAffinityTerm> ReadPreferred(const json::Value& affinity,
                                                           const engine::Labels& labels) {
  std::vector<engine::WeightedPodAffinityTerm> out;
  for (const json::Value& term :
       affinity["preferredDuringSchedulingIgnoredDuringExecution"].Items()) {
    out.push_back(
        {static_cast<int>(term["weight"].AsInt()), ReadPodTerm(term["podAffinityTerm"], labels)});
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
  for (const engine::SelectorRequirement& requirement : requirements) {
    json::Value item =
        json::Value::Object({{"key", requirement.key}, {"operator", NameOf(requirement.op)}});
    for (const std::string& value : requirement.values) item.Mutable("values").Append(value);
    out.Append(std::move(item));
  }
  return out;
}

}  // namespace

engine::Labels ReadLabels(const json::Value& map) {
  engine::Labels labels;
  for (const json::Member& member : map.Members()) {
    labels.emplace_hint(labels.end(), member.name(), member.value.AsString());
  }
  return labels;
}

engine::LabelSelector ReadLabelSelector(const json::Value& selector) {
  return {ReadLabels(selector["matchLabels"]), ReadRequirements(selector["matchExpressions"])};
}

engine::NodeSelectorTerm ReadNodeSelectorTerm(const json::Value& term) {
  return {ReadRequirements(term["matchExpressions"]), ReadRequirements(term["matchFields"])};
}

engine::NodeSelector ReadNodeSelector(const json::Value& selector) {
  engine::NodeSelector out;
  for (const json::Value& term : selector["nodeSelectorTerms"].Items()) {
    out.terms.push_back(ReadNodeSelectorTerm(term));
  }
  return out;
}

engine::Affinity ReadAffinity(const json::Value& affinity, const engine::Labels& labels) {
  engine::Affinity out;
  const json::Value& nodes =
      affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  if (!nodes.IsNull()) out.required_nodes = ReadNodeSelector(nodes);
  for (const json::Value& preferred :
       affinity["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"].Items()) {
    out.preferred_nodes.push_back({static_cast<int>(preferred["weight"].AsInt()),
                                   ReadNodeSelectorTerm(preferred["preference"])});
  }
  out.required_pods = ReadRequired(affinity["podAffinity"], labels);
  out.preferred_pods = ReadPreferred(affinity["podAffinity"], labels);
  out.required_anti_pods = ReadRequired(affinity["podAntiAffinity"], labels);
  out.preferred_anti_pods = ReadPreferred(affinity["podAntiAffinity"], labels);
  return out;
}

std::vector<engine::Toleration> ReadTolerations(const json::Value& list) {
  std::vector<engine::Toleration> out;
  for (const json::Value& item : list.Items()) {
    out.push_back({item["key"].ToString(), item["operator"].ToString(), item["value"].ToString(),
                   item["effect"].ToString()});
  }
  return out;
}

std::vector<engine::Taint> ReadTaints(const json::Value& list) {
  std::vector<engine::Taint> out;
  for (const json::Value& item : list.Items()) {
    out.push_back({item["key"].ToString(), item["value"].ToString(), item["effect"].ToString()});
  }
  return out;
}

engine::ResourceList ReadResourceList(const json::Value& map) {
  engine::ResourceList out;
  for (const json::Member& member : map.Members()) {
    const base::Result<base::Quantity> quantity =
        member.value.IsInt() ? base::Quantity::FromUnits(member.value.AsInt())
                             : base::Quantity::Parse(member.value.AsString());
    if (quantity) out.emplace_hint(out.end(), member.name(), *quantity);
  }
  return out;
}

std::optional<base::Time> ReadTime(const json::Value& text) {
  if (!text.IsString()) return std::nullopt;
  const base::Result<base::Time> time = base::ParseRfc3339(text.AsString());
  if (!time) return std::nullopt;
  return *time;
}

std::optional<base::Duration> ReadDuration(const json::Value& text) {
  if (!text.IsString()) return std::nullopt;
  const base::Result<base::Duration> duration = base::ParseDuration(text.AsString());
  if (!duration) return std::nullopt;
  return *duration;
}

json::Value WriteNodeSelector(const engine::NodeSelector& selector) {
  json::Value terms = json::Value::Array();
  for (const engine::NodeSelectorTerm& term : selector.terms) {
    json::Value item = json::Value::Object();
    if (!term.match_expressions.empty()) {
      item.Set("matchExpressions", WriteRequirements(term.match_expressions));
    }
    if (!term.match_fields.empty()) item.Set("matchFields", WriteRequirements(term.match_fields));
    terms.Append(std::move(item));
  }
  return json::Value::Object({{"nodeSelectorTerms", std::move(terms)}});
}

}  // namespace coppice::services::scheduler
