#include <fmt/format.h>

#include <algorithm>

#include "api/schema/field_error.h"
#include "api/selectors/names.h"
#include "base/clock.h"
#include "operator/webhooks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueSetTemplate;

// Pods are called <set>-<i>-[<group>-<j>-]<clique>-<suffix>; what remains for the three names.
constexpr size_t kNameBudget = 45;

void CheckStartupType(const PodCliqueSetTemplate& tmpl, Causes& causes) {
  const std::string path = "spec.template.cliqueStartupType";
  if (!tmpl.cliqueStartupType) {
    causes.push_back(api::RequiredField(path, "field is required"));
    return;
  }
  const std::string& type = *tmpl.cliqueStartupType;
  if (type != api::grove::kStartAnyOrder && type != api::grove::kStartInOrder &&
      type != api::grove::kStartExplicit) {
    causes.push_back(api::InvalidField(path, type, "unknown startup type"));
  }
}

void CheckTerminationDelay(const PodCliqueSetTemplate& tmpl, Causes& causes) {
  const std::string path = "spec.template.terminationDelay";
  if (!tmpl.terminationDelay) {
    causes.push_back(api::RequiredField(path, "terminationDelay is required"));
    return;
  }
  const auto delay = base::ParseDuration(*tmpl.terminationDelay);
  if (!delay) {
    causes.push_back(api::InvalidField(path, *tmpl.terminationDelay, "must be a duration"));
  } else if (*delay <= base::Duration::zero()) {
    causes.push_back(api::InvalidField(path, *tmpl.terminationDelay,
                                       "terminationDelay must be greater than 0"));
  }
}

std::string BudgetMessage(size_t length, const std::string& names) {
  return fmt::format("combined resource name length {} exceeds {}-character limit required for "
                     "pod naming. Consider shortening: {}",
                     length, kNameBudget, names);
}

}  // namespace

std::string CliquePath(size_t index) { return fmt::format("spec.template.cliques[{}]", index); }

std::string GroupPath(size_t index) {
  return fmt::format("spec.template.podCliqueScalingGroups[{}]", index);
}

void CheckSet(const PodCliqueSet& set, Causes& causes) {
  const api::Problems problems = api::Dns1123SubdomainProblems(set.name());
  if (!problems.empty()) {
    causes.push_back(api::InvalidField("metadata.name", set.name(), api::JoinProblems(problems)));
  }
  if (set.spec.replicas < 0) {
    causes.push_back(api::InvalidField("spec.replicas", set.spec.replicas,
                                       "must be greater than or equal to 0"));
  }
  CheckStartupType(set.spec.template_, causes);
  CheckTerminationDelay(set.spec.template_, causes);
}

void CheckNameBudget(const PodCliqueSet& set, Causes& causes) {
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  for (size_t i = 0; i < tmpl.cliques.size(); ++i) {
    const std::string& clique = tmpl.cliques[i].name;
    const size_t length = set.name().size() + clique.size();
    if (tmpl.GroupOf(clique) != nullptr || length <= kNameBudget) continue;
    const std::string message = BudgetMessage(
        length, fmt::format("PodCliqueSet '{}' or PodClique '{}'", set.name(), clique));
    causes.push_back(api::InvalidField(CliquePath(i) + ".name", clique, message));
    causes.push_back(api::InvalidField("metadata.name", set.name(), message));
  }
  for (size_t g = 0; g < tmpl.podCliqueScalingGroups.size(); ++g) {
    const auto& group = tmpl.podCliqueScalingGroups[g];
    for (size_t c = 0; c < group.cliqueNames.size(); ++c) {
      const std::string& clique = group.cliqueNames[c];
      const size_t length = set.name().size() + group.name.size() + clique.size();
      if (length <= kNameBudget) continue;
      const std::string message = BudgetMessage(
          length, fmt::format("PodCliqueSet '{}', PodCliqueScalingGroup '{}', or PodClique '{}'",
                              set.name(), group.name, clique));
      causes.push_back(api::InvalidField(
          fmt::format("{}.cliqueNames[{}].name", GroupPath(g), c), clique, message));
      causes.push_back(api::InvalidField(GroupPath(g) + ".name", clique, message));
      causes.push_back(api::InvalidField("metadata.name", set.name(), message));
    }
  }
}

}  // namespace coppice::operators::webhooks
