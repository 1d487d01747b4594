#include "engine/model/selectors.h"

#include <algorithm>
#include <charconv>

namespace coppice::engine {
namespace {

using Value = std::optional<std::string_view>;

bool ToInt(std::string_view text, int64_t& value) {
  const char* end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end;
}

bool MatchesValue(const SelectorRequirement& requirement, const Value& value) {
  const auto& values = requirement.values;
  const bool listed = value && std::find(values.begin(), values.end(), *value) != values.end();
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return listed;
    case SelectorOperator::kNotIn:
      return !listed;
    case SelectorOperator::kExists:
      return value.has_value();
    case SelectorOperator::kDoesNotExist:
      return !value;
    case SelectorOperator::kGreaterThan:
    case SelectorOperator::kLessThan: {
      int64_t have = 0, bound = 0;
      if (!value || values.size() != 1 || !ToInt(*value, have) || !ToInt(values[0], bound)) {
        return false;
      }
      return requirement.op == SelectorOperator::kGreaterThan ? have > bound : have < bound;
    }
  }
  return false;
}

bool Matches(const SelectorRequirement& requirement, const LabelSource& labels) {
  return MatchesValue(requirement, labels.Find(requirement.key));
}

bool MatchesTerm(const NodeSelectorTerm& term, const LabelSource& labels, std::string_view node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  for (const auto& requirement : term.match_expressions) {
    if (!Matches(requirement, labels)) return false;
  }
  for (const auto& requirement : term.match_fields) {
    const bool known = requirement.key == "metadata.name";
    if (!MatchesValue(requirement, known ? Value(node) : std::nullopt)) return false;
  }
  return true;
}

}  // namespace

bool Matches(const LabelSelector& selector, const LabelSource& labels) {
  for (const auto& [key, value] : selector.match_labels) {
    if (labels.Find(key) != value) return false;
  }
  return std::all_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [&](const auto& requirement) { return Matches(requirement, labels); });
}

bool Matches(const NodeSelector& selector, const LabelSource& labels, std::string_view node_name) {
  return std::any_of(selector.terms.begin(), selector.terms.end(),
                     [&](const auto& term) { return MatchesTerm(term, labels, node_name); });
}

int Preference(const std::vector<WeightedNodeTerm>& terms, const LabelSource& labels,
               std::string_view node_name) {
  int sum = 0;
  for (const auto& [weight, term] : terms) {
    if (MatchesTerm(term, labels, node_name)) sum += weight;
  }
  return sum;
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  if (toleration.op.empty() || toleration.op == "Equal") {
    return !toleration.key.empty() && toleration.value == taint.value;
  }
  return false;
}

}  // namespace coppice::engine
