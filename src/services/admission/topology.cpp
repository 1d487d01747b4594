#include "services/admission/topology.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

namespace coppice::services::admission {
namespace {

std::string Sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return fmt::format("[{}]", fmt::join(texts, " "));
}

}  // namespace

Verdict ValidateTopology(view::kai::Topology topology) {
  std::set<std::string> labels, aliases;
  std::vector<std::string> duplicates, collisions;
  const auto levels = topology.spec().levels();
  for (const auto level : levels) labels.emplace(level.nodeLabel());
  for (const auto level : levels) {
    const std::string alias(level.alias());
    if (alias.empty()) continue;
    if (!aliases.insert(alias).second) duplicates.push_back(alias);
    if (labels.contains(alias)) collisions.push_back(alias);
  }
  if (duplicates.empty() && collisions.empty()) return {};
  std::vector<std::string> errors;
  if (!duplicates.empty()) {
    errors.push_back("aliases must be unique within the topology; duplicated: " +
                     Sorted(std::move(duplicates)));
  }
  if (!collisions.empty()) {
    errors.push_back("an alias must not equal a nodeLabel; conflicting: " +
                     Sorted(std::move(collisions)));
  }
  return Verdict::Refuse(fmt::format("invalid topology aliases: {}", fmt::join(errors, "; ")));
}

}  // namespace coppice::services::admission
