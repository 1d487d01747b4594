#include <fmt/format.h>

#include <algorithm>

#include "api/schema/errors/field_error.h"
#include "api/selectors/names.h"
#include "base/clock.h"
#include "operator/webhooks/checks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueSetTemplate;

void CheckStartupType(const PodCliqueSetTemplate& tmpl, Causes& causes) {
  const std::string path = "spec.template.cliqueStartupType";
  if (!tmpl.cliqueStartupType) {
    causes.push_back(api::RequiredField(path, "field is required"));
    return;
  }
  const std::string& type = *tmpl.cliqueStartupType;
  if (type != api::grove::kStartAnyOrder && type != api::grove::kStartInOrder &&
      type != api::grove::kStartExplicit) {
    causes.push_back(
        api::InvalidField(path, type,
                          "can only be one of CliqueStartupTypeAnyOrder, CliqueStartupTypeInOrder, "
                          "CliqueStartupTypeExplicit"));
  }
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
    causes.push_back(
        api::InvalidField(path, *tmpl.terminationDelay, "terminationDelay must be greater than 0"));
  }
}

void CheckBase(const PodCliqueSet& set, bool creating, const Causes& schedulers, Causes& causes) {
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  CheckSet(set, causes);
  CheckClaimTemplates(tmpl, causes);
  CheckSetSharing(tmpl, causes);
  CheckCliques(set, creating, causes);
  causes.insert(causes.end(), schedulers.begin(), schedulers.end());
  CheckDependencies(tmpl, causes);
  CheckScalingGroups(set, causes);
  CheckTerminationDelay(tmpl, causes);
}

}  // namespace coppice::operators::webhooks
