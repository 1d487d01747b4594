#include <fmt/format.h>

#include <set>

#include "api/edit/nvidia.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/mnnvl.h"
#include "operator/common/names.h"
#include "operator/podcliqueset/components.h"
#include "operator/podcliqueset/objects.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;

const kube::Resource kComputeDomains{"resource.nvidia.com", "v1beta1", "computedomains",
                                     "ComputeDomain", true};

StringMap BaseLabels(const PodCliqueSet& set) {
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(labels::kComponent)] = "pcs-computedomain";
  return labels;
}

base::Result<std::vector<json::Value>> ExistingDomains(const Context& context,
                                                       const PodCliqueSet& set) {
  kube::ListOptions options;
  options.ns = set.ns();
  options.label_selector = Selector(BaseLabels(set));
  COPPICE_ASSIGN(kube::ObjectList list, context.runtime.client.List(kComputeDomains, options));
  return std::move(list.items);
}

json::Value Build(const PodCliqueSet& set, int replica, const std::string& group) {
  const std::string name = names::ComputeDomain(set.name(), replica, group);
  json::Value domain = kube::NewObject(kComputeDomains, set.ns(), name);
  StringMap labels = BaseLabels(set);
  labels[std::string(labels::kAppName)] = name;
  labels[std::string(labels::kSetReplica)] = fmt::format("{}", replica);
  labels[std::string(labels::kMnnvlGroup)] = group;
  SetLabels(domain, labels);
  SetController(domain, set.object);
  EnsureFinalizer(domain, api::finalizers::kComputeDomain);
  const auto spec = edit::nvidia::ComputeDomain(domain).spec();
  spec.set_numNodes(0);
  spec.channel().resourceClaimTemplate().set_name(name);
  return domain;
}

base::Status Release(const Context& context, const json::Value& domain) {
  COPPICE_TRY(kube::DeleteObject(context.client(), kComputeDomains, domain));
  const auto live = context.runtime.client.Get(kComputeDomains, kube::KeyOf(domain));
  if (live.Is(base::ErrorCode::kNotFound)) return {};
  if (!live) return live.error();
  COPPICE_TRY(kube::RemoveFinalizer(context.client(), kComputeDomains, *live,
                                    api::finalizers::kComputeDomain));
  return {};
}

StepOutcome ReleaseAllBut(const Context& context, const PodCliqueSet& set,
                          const std::vector<json::Value>& existing,
                          const std::set<std::string>& wanted) {
  StepOutcome outcome = StepOutcome::Done();
  for (const json::Value& domain : existing) {
    if (wanted.contains(std::string(kube::Name(domain)))) continue;
    const base::Status released = Release(context, domain);
    if (!released) {
      context.Event(set.object, "Warning", "ComputeDomainDeleteFailed",
                    fmt::format("Failed to delete ComputeDomain {}: {}", kube::Name(domain),
                                released.error().message()));
      outcome.Merge(StepOutcome::Failed("ERR_DELETE_COMPUTEDOMAIN", "Sync", released.error()));
      continue;
    }
    context.Event(set.object, "Normal", "ComputeDomainDeleteSuccessful",
                  fmt::format("Deleted ComputeDomain {}", kube::Name(domain)));
  }
  return outcome;
}

bool Has(const std::vector<json::Value>& objects, std::string_view name) {
  for (const json::Value& object : objects) {
    if (kube::Name(object) == name) return true;
  }
  return false;
}

StepOutcome Create(const Context& context, const PodCliqueSet& set, const json::Value& domain) {
  const auto created = context.runtime.client.Create(kComputeDomains, domain);
  if (!created) {
    context.Event(set.object, "Warning", "ComputeDomainCreateFailed",
                  fmt::format("ComputeDomain {}/{} creation failed: {}", set.ns(),
                              kube::Name(domain), created.error().message()));
    return StepOutcome::Failed("ERR_SYNC_COMPUTEDOMAIN", "Sync", created.error());
  }
  context.Event(
      set.object, "Normal", "ComputeDomainCreateSuccessful",
      fmt::format("ComputeDomain {}/{} created successfully", set.ns(), kube::Name(domain)));
  return StepOutcome::Done();
}

}  // namespace

std::vector<json::Value> BuildComputeDomains(const PodCliqueSet& set) {
  std::vector<json::Value> domains;
  const std::set<std::string> groups = MnnvlGroupsInUse(set);
  for (int i = 0; i < set.spec.replicas; ++i) {
    for (const std::string& group : groups) domains.push_back(Build(set, i, group));
  }
  return domains;
}

StepOutcome SyncComputeDomains(const Context& context, const PodCliqueSet& set) {
  if (!context.config.auto_mnnvl) return StepOutcome::Done();
  const auto existing = ExistingDomains(context, set);
  OPERATOR_TRY("ERR_LIST_COMPUTEDOMAIN", "Sync", existing);
  StepOutcome outcome = StepOutcome::Done();
  std::set<std::string> wanted;
  for (const json::Value& domain : BuildComputeDomains(set)) {
    wanted.emplace(kube::Name(domain));
    if (!Has(*existing, kube::Name(domain))) outcome.Merge(Create(context, set, domain));
  }
  outcome.Merge(ReleaseAllBut(context, set, *existing, wanted));
  return outcome;
}

// Domains that were created before the feature was disabled still have our finalizer, which nothing
// else removes.
StepOutcome DeleteComputeDomains(const Context& context, const PodCliqueSet& set) {
  if (!context.config.auto_mnnvl && MnnvlGroupsInUse(set).empty()) return StepOutcome::Done();
  const auto existing = ExistingDomains(context, set);
  if (!existing && !context.config.auto_mnnvl) {
    // Without the kind there are none. Without permission to list them, the set must still be
    // deleted.
    if (existing.Is(base::ErrorCode::kForbidden)) {
      context.Event(set.object, "Warning", "ComputeDomainDeleteFailed", existing.error().message());
    }
    return StepOutcome::Done();
  }
  OPERATOR_TRY("ERR_LIST_COMPUTEDOMAIN", "Delete", existing);
  return ReleaseAllBut(context, set, *existing, {});
}

}  // namespace coppice::operators::podcliqueset
