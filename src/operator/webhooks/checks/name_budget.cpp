#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "operator/webhooks/checks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;

// Pods are named <set>-<i>-[<group>-<j>-]<clique>-<suffix>; this is what remains for the three
// names.
constexpr size_t kNameBudget = 45;

std::string BudgetMessage(size_t length, const std::string& names) {
  return fmt::format(
      "combined resource name length {} exceeds {}-character limit required for "
      "pod naming. Consider shortening: {}",
      length, kNameBudget, names);
}

}  // namespace

void CheckStandaloneBudget(const PodCliqueSet& set, size_t clique, Causes& causes) {
  const std::string& name = set.spec.template_.cliques[clique].name;
  const size_t length = set.name().size() + name.size();
  if (set.spec.template_.GroupOf(name) != nullptr || length <= kNameBudget) return;
  const std::string message =
      BudgetMessage(length, fmt::format("PodCliqueSet '{}' or PodClique '{}'", set.name(), name));
  causes.push_back(api::InvalidField(CliquePath(clique) + ".name", name, message));
  causes.push_back(api::InvalidField("metadata.name", set.name(), message));
}

void CheckMemberBudget(const PodCliqueSet& set, size_t index, Causes& causes) {
  const auto& group = set.spec.template_.podCliqueScalingGroups[index];
  for (size_t c = 0; c < group.cliqueNames.size(); ++c) {
    const std::string& clique = group.cliqueNames[c];
    const size_t length = set.name().size() + group.name.size() + clique.size();
    if (length <= kNameBudget) continue;
    const std::string message = BudgetMessage(
        length, fmt::format("PodCliqueSet '{}', PodCliqueScalingGroup '{}', or PodClique '{}'",
                            set.name(), group.name, clique));
    causes.push_back(api::InvalidField(fmt::format("{}.cliqueNames[{}].name", GroupPath(index), c),
                                       clique, message));
    causes.push_back(api::InvalidField(GroupPath(index) + ".name", clique, message));
    causes.push_back(api::InvalidField("metadata.name", set.name(), message));
  }
}

}  // namespace coppice::operators::webhooks
