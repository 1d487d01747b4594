#include "engine/explain/selector_text.h"

#include <fmt/format.h>

namespace coppice::engine {
namespace {

std::string RequirementText(const SelectorRequirement& requirement) {
  const std::string values = fmt::format("{}", fmt::join(requirement.values, ","));
  switch (requirement.op) {
    case SelectorOperator::kIn:
      if (requirement.values.size() == 1) return fmt::format("{}={}", requirement.key, values);
      return fmt::format("{} in ({})", requirement.key, values);
    case SelectorOperator::kNotIn:
      if (requirement.values.size() == 1) return fmt::format("{}!={}", requirement.key, values);
      return fmt::format("{} notin ({})", requirement.key, values);
    case SelectorOperator::kExists:
      return requirement.key;
    case SelectorOperator::kDoesNotExist:
      return "!" + requirement.key;
    case SelectorOperator::kGreaterThan:
      return fmt::format("{}>{}", requirement.key, values);
    case SelectorOperator::kLessThan:
      return fmt::format("{}<{}", requirement.key, values);
  }
  return requirement.key;
}

}  // namespace

std::string SelectorText(const LabelSelector& selector) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector.match_labels) {
    parts.push_back(fmt::format("{}={}", key, value));
  }
  for (const auto& each : selector.match_expressions) parts.push_back(RequirementText(each));
  return parts.empty() ? "any pod" : fmt::format("{}", fmt::join(parts, ","));
}

std::string SelectorText(const NodeSelector& selector) {
  std::vector<std::string> terms;
  for (const auto& term : selector.terms) {
    std::vector<std::string> parts;
    for (const auto& each : term.match_expressions) parts.push_back(RequirementText(each));
    for (const auto& each : term.match_fields) parts.push_back(RequirementText(each));
    terms.push_back(fmt::format("{}", fmt::join(parts, ",")));
  }
  return fmt::format("{}", fmt::join(terms, " or "));
}

}  // namespace coppice::engine
