#include <fmt/format.h>

#include <algorithm>

#include "api/edit/core.h"
#include "api/schema/errors/field_error.h"
#include "api/selectors/names.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/names.h"
#include "operator/webhooks/checks/checks.h"

// Rejects names that are valid themselves but not in generated names: the set would be accepted,
// but its pods could never be created.
namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueSetTemplate;

// Whether a Service may have this name depends on the Kubernetes release, so ask if in doubt.
void CheckServiceName(kube::Client& client, const PodCliqueSet& set, Causes& causes) {
  if (HasCauseAt(causes, "metadata.name") || api::Dns1035LabelProblems(set.name()).empty()) return;
  json::Value service = kube::NewObject(api::kServices, set.ns(), names::Replica(set.name(), 0));
  edit::core::Service(service).spec().set_clusterIP("None");
  const auto tried = client.Create(api::kServices, service, {.dry_run = true});
  if (!tried.Is(base::ErrorCode::kInvalid)) return;
  const auto& found = tried.error().causes();
  causes.push_back(api::InvalidField(
      "metadata.name", set.name(),
      fmt::format("the set's headless Services could not be called \"{}-0\": {}", set.name(),
                  found.empty() ? tried.error().message() : found.front().message)));
}

void CheckHostnamePart(const std::string& name, const std::string& path, Causes& causes) {
  if (name.find('.') == std::string::npos || HasCauseAt(causes, path)) return;
  causes.push_back(api::InvalidField(
      path, name, "must not contain dots: it becomes part of the pods' hostnames"));
}

// Both would be named <set>-<i>-<name>, and only the group's would exist.
void CheckAutoscalers(const PodCliqueSetTemplate& set, Causes& causes) {
  for (size_t i = 0; i < set.podCliqueScalingGroups.size(); ++i) {
    const auto& group = set.podCliqueScalingGroups[i];
    const auto* clique = set.FindClique(group.name);
    if (!group.scaleConfig || clique == nullptr || !clique->spec.autoScalingConfig) continue;
    causes.push_back(api::InvalidField(
        GroupPath(i) + ".name", group.name,
        "a PodClique of this name is autoscaled too; their autoscalers would have one name"));
  }
}

// The names of pods' claims must be DNS labels.
template <typename Sharing>
void CheckClaimNames(const std::vector<Sharing>& sharing, const std::string& path,
                     const std::string& owner, int32_t replicas, Causes& causes) {
  for (size_t i = 0; i < sharing.size(); ++i) {
    const bool per_replica = sharing[i].scope == api::grove::kScopePerReplica;
    const std::string name =
        names::Claim(owner, per_replica ? std::optional(std::max(0, replicas - 1)) : std::nullopt,
                     sharing[i].name);
    const api::Problems problems = api::Dns1123LabelProblems(name);
    const std::string field = fmt::format("{}.resourceSharing[{}].name", path, i);
    if (problems.empty() || HasCauseAt(causes, field)) continue;
    causes.push_back(api::InvalidField(field, sharing[i].name,
                                       fmt::format("pods would refer to ResourceClaim \"{}\": {}",
                                                   name, api::JoinProblems(problems))));
  }
}

void CheckAllClaimNames(const PodCliqueSet& set, Causes& causes) {
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  const int last = std::max(0, set.spec.replicas - 1);
  CheckClaimNames(tmpl.resourceSharing, "spec.template", set.name(), set.spec.replicas, causes);
  for (size_t i = 0; i < tmpl.podCliqueScalingGroups.size(); ++i) {
    const auto& group = tmpl.podCliqueScalingGroups[i];
    CheckClaimNames(group.resourceSharing, GroupPath(i),
                    names::ScalingGroup(set.name(), last, group.name), group.Replicas(), causes);
  }
  for (size_t i = 0; i < tmpl.cliques.size(); ++i) {
    const auto& clique = tmpl.cliques[i];
    const auto* group = tmpl.GroupOf(clique.name);
    const std::string owner =
        group == nullptr ? names::StandaloneClique(set.name(), last, clique.name)
                         : names::MemberClique(names::ScalingGroup(set.name(), last, group->name),
                                               std::max(0, group->Replicas() - 1), clique.name);
    CheckClaimNames(clique.resourceSharing, CliquePath(i), owner, clique.spec.replicas, causes);
  }
}

}  // namespace

void CheckGeneratedNames(kube::Client& client, const PodCliqueSet& set, Causes& causes) {
  const PodCliqueSetTemplate& tmpl = set.spec.template_;
  CheckServiceName(client, set, causes);
  for (size_t i = 0; i < tmpl.cliques.size(); ++i) {
    CheckHostnamePart(tmpl.cliques[i].name, CliquePath(i) + ".name", causes);
  }
  for (size_t i = 0; i < tmpl.podCliqueScalingGroups.size(); ++i) {
    CheckHostnamePart(tmpl.podCliqueScalingGroups[i].name, GroupPath(i) + ".name", causes);
  }
  CheckAutoscalers(tmpl, causes);
  CheckAllClaimNames(set, causes);
}

}  // namespace coppice::operators::webhooks
