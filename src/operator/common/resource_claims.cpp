#include "operator/common/resource_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/core.h"
#include "api/edit/resource.h"
#include "api/key/core.h"
#include "api/view/resource.h"
#include "api/well_known.h"
#include "backends/kai/kai.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/names.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators {
namespace {

using api::grove::PodCliqueSet;

// The claim's spec: from the set's own templates, else from a ResourceClaimTemplate object.
base::Result<json::Value> ClaimSpec(const PodCliqueSet& set, const SharedClaim& claim,
                                    const FindClaimTemplate& find) {
  if (claim.ns.empty()) {
    for (const auto& own : set.spec.template_.resourceClaimTemplates) {
      if (own.name != claim.name) continue;
      return view::resource::ResourceClaimTemplateSpec(own.templateSpec).spec().Json();
    }
  }
  const api::ObjectKey key{claim.ns.empty() ? set.ns() : claim.ns, claim.name};
  const auto external = find(key);
  // Report a missing template as the user's mistake, unlike an object that our cache still shows.
  if (external.Is(base::ErrorCode::kNotFound)) {
    return base::Error(base::ErrorCode::kInvalid,
                       fmt::format("ResourceClaimTemplate {} does not exist", key.ToString()));
  }
  if (!external) return external.error();
  return view::resource::ResourceClaimTemplate(*external).spec().spec().Json();
}

StringMap ClaimLabels(const PodCliqueSet& set, const ClaimLevel& level, std::optional<int> index) {
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(labels::kComponent)] = "resource-claim";
  labels.insert(level.labels.begin(), level.labels.end());
  if (index) labels[std::string(level.index_label)] = fmt::format("{}", *index);
  return labels;
}

// KAI places pods that share GPUs through a claim only if the claim has a queue label.
StringMap QueueLabel(const Config& config, const PodCliqueSet& set) {
  const std::string queue(kube::Label(set.object, backends::kai::kQueueKey));
  if (queue.empty() || !config.policy().LabelsClaimsWithQueue()) return {};
  return {{std::string(backends::kai::kQueueKey), queue}};
}

base::Result<json::Value> BuildClaim(const Config& config, const PodCliqueSet& set,
                                     const ClaimLevel& level, const SharedClaim& claim,
                                     std::optional<int> index,
                                     const std::optional<json::Value>& existing,
                                     const FindClaimTemplate& find) {
  const std::string name = names::Claim(kube::Name(level.owner), index, claim.name);
  json::Value object = existing ? *existing : kube::NewObject(api::kResourceClaims, set.ns(), name);
  MergeLabels(object, QueueLabel(config, set));
  MergeLabels(object, ClaimLabels(set, level, index));
  SetController(object, level.owner);
  // A claim's spec is immutable.
  if (!existing) {
    COPPICE_ASSIGN(json::Value spec, ClaimSpec(set, claim, find));
    edit::resource::ResourceClaim(object).set_spec(std::move(spec));
  }
  return object;
}

base::Status WriteClaim(const Context& context, const std::optional<json::Value>& existing,
                        const json::Value& claim) {
  const auto written = CreateOrPatchOwned(context.client(), api::kResourceClaims, existing, claim);
  if (written) return {};
  // It belongs to someone else, or to a set of the same name that is being deleted.
  if (written.Is(base::ErrorCode::kAlreadyExists)) {
    return base::Error(
        base::ErrorCode::kInvalid,
        fmt::format("ResourceClaim {} exists and is not ours", kube::KeyOf(claim).ToString()));
  }
  return written.error();
}

template <typename Sharing>
std::vector<SharedClaim> ReadClaims(const std::vector<Sharing>& sharing) {
  std::vector<SharedClaim> claims;
  for (const Sharing& item : sharing) {
    claims.push_back(
        {item.name, item.namespace_.value_or(""), item.scope == api::grove::kScopePerReplica});
  }
  return claims;
}

// Calls `visit` with each desired claim and its replica.
base::Status ForEachClaim(
    const ClaimLevel& level,
    const std::function<base::Status(const SharedClaim&, std::optional<int>)>& visit) {
  for (const SharedClaim& claim : level.claims) {
    for (int i = 0; i < (claim.per_replica ? level.replicas : 1); ++i) {
      COPPICE_TRY(visit(claim, claim.per_replica ? std::optional(i) : std::nullopt));
    }
  }
  return {};
}

std::optional<json::Value> FindByName(const std::vector<json::Value>& objects,
                                      std::string_view name) {
  for (const json::Value& object : objects) {
    if (kube::Name(object) == name) return object;
  }
  return std::nullopt;
}

// The existing claims of this level, read from the server because few sets share claims.
base::Result<std::vector<json::Value>> Existing(const Context& context, const PodCliqueSet& set,
                                                const ClaimLevel& level) {
  kube::ListOptions options;
  options.ns = set.ns();
  options.label_selector = Selector(ClaimLabels(set, level, std::nullopt));
  COPPICE_ASSIGN(kube::ObjectList list, context.runtime.client.List(api::kResourceClaims, options));
  std::erase_if(list.items, [&](const json::Value& claim) {
    return !kube::IsOwnedBy(claim, kube::Uid(level.owner));
  });
  return std::move(list.items);
}

base::Status DeleteStale(const Context& context, const ClaimLevel& level,
                         const std::vector<json::Value>& existing) {
  for (const json::Value& claim : existing) {
    const auto index = names::IndexLabel(claim, level.index_label);
    if (!index || *index < level.replicas || level.in_use.contains(*index)) continue;
    COPPICE_TRY(kube::DeleteObject(context.client(), api::kResourceClaims, claim));
  }
  return {};
}

base::Status SyncAll(const Context& context, const PodCliqueSet& set, const ClaimLevel& level) {
  COPPICE_ASSIGN(const std::vector<json::Value> existing, Existing(context, set, level));
  const std::string owner(kube::Name(level.owner));
  const auto find = [&](const api::ObjectKey& key) {
    return context.runtime.client.Get(api::kResourceClaimTemplates, key);
  };
  COPPICE_TRY(ForEachClaim(level, [&](const SharedClaim& claim, std::optional<int> index) {
    const auto present = FindByName(existing, names::Claim(owner, index, claim.name));
    const auto object = BuildClaim(context.config, set, level, claim, index, present, find);
    return object ? WriteClaim(context, present, *object) : base::Status(object.error());
  }));
  return DeleteStale(context, level, existing);
}

bool NamesInclude(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// First the claims for all replicas, then those of this replica, in declaration order.
template <typename Sharing, typename Filter>
void AddLevel(const std::vector<Sharing>& sharing, std::string_view owner, int replica,
              const Filter& matches, std::vector<std::string>& claims) {
  for (const bool per_replica : {false, true}) {
    for (const Sharing& item : sharing) {
      if ((item.scope == api::grove::kScopePerReplica) != per_replica || !matches(item)) continue;
      claims.push_back(
          names::Claim(owner, per_replica ? std::optional(replica) : std::nullopt, item.name));
    }
  }
}

}  // namespace

ClaimLevel SetClaims(const PodCliqueSet& set) {
  return {.owner = set.object,
          .claims = ReadClaims(set.spec.template_.resourceSharing),
          .replicas = set.spec.replicas,
          .labels = {},
          .index_label = labels::kSetReplica,
          .error_code = "ERR_SYNC_PCS_RESOURCE_CLAIM"};
}

ClaimLevel GroupClaims(const api::grove::ScalingGroupConfig& config,
                       const api::grove::PodCliqueScalingGroup& group) {
  return {.owner = group.object,
          .claims = ReadClaims(config.resourceSharing),
          .replicas = group.spec.replicas,
          .labels = {{std::string(labels::kScalingGroup), group.name()}},
          .index_label = labels::kScalingGroupReplica,
          .error_code = "ERR_SYNC_PCSG_RESOURCE_CLAIM"};
}

ClaimLevel CliqueClaims(const api::grove::PodCliqueTemplate& config,
                        const api::grove::PodClique& clique, std::set<int> pods) {
  return {.owner = clique.object,
          .claims = ReadClaims(config.resourceSharing),
          .replicas = clique.spec.replicas,
          .labels = {{std::string(labels::kPodClique), clique.name()}},
          .index_label = labels::kPodIndex,
          .error_code = "ERR_SYNC_PCLQ_RESOURCE_CLAIM",
          .in_use = std::move(pods)};
}

base::Result<std::vector<json::Value>> BuildClaims(const Config& config, const PodCliqueSet& set,
                                                   const ClaimLevel& level,
                                                   const FindClaimTemplate& find) {
  std::vector<json::Value> claims;
  COPPICE_TRY(
      ForEachClaim(level, [&](const SharedClaim& claim, std::optional<int> index) -> base::Status {
        COPPICE_ASSIGN(json::Value object,
                       BuildClaim(config, set, level, claim, index, std::nullopt, find));
        claims.push_back(std::move(object));
        return {};
      }));
  return claims;
}

StepOutcome SyncClaims(const Context& context, const PodCliqueSet& set, const ClaimLevel& level) {
  if (level.claims.empty()) return StepOutcome::Done();
  OPERATOR_TRY(level.error_code, "Sync", SyncAll(context, set, level));
  return StepOutcome::Done();
}

bool ClaimsMoved(const kube::Change& set) {
  if (set.type != kube::ChangeType::kUpdated) return false;
  return kube::Label(set.old_object, backends::kai::kQueueKey) !=
         kube::Label(set.object, backends::kai::kQueueKey);
}

std::vector<std::string> ClaimsOfPod(const PodCliqueSet& set, int replica,
                                     const api::grove::PodCliqueTemplate& clique,
                                     const std::string& group, std::optional<int> group_replica,
                                     const std::string& clique_name, int pod_index) {
  const auto& tmpl = set.spec.template_;
  const auto* config = tmpl.GroupOf(clique.name);
  std::vector<std::string> claims;
  AddLevel(
      tmpl.resourceSharing, set.name(), replica,
      [&](const auto& item) {
        if (!item.filter) return true;
        return NamesInclude(item.filter->childCliqueNames, clique.name) ||
               (config != nullptr &&
                NamesInclude(item.filter->childScalingGroupNames, config->name));
      },
      claims);
  if (config != nullptr && group_replica) {
    AddLevel(
        config->resourceSharing, group, *group_replica,
        [&](const auto& item) {
          return !item.filter || NamesInclude(item.filter->childCliqueNames, clique.name);
        },
        claims);
  }
  AddLevel(
      clique.resourceSharing, clique_name, pod_index, [](const auto&) { return true; }, claims);
  return claims;
}

void AddClaims(json::Value& pod_spec, const std::vector<std::string>& claims) {
  using Key = key::core::PodSpec;
  for (const std::string& claim : claims) {
    edit::core::PodSpec(pod_spec).add_resourceClaims().set_name(claim).set_resourceClaimName(claim);
    for (const std::string_view list : {Key::containers, Key::initContainers}) {
      json::Value* containers = pod_spec.FindMutable(list);
      if (containers == nullptr) continue;
      for (json::Value& container : containers->MutableItems()) {
        edit::core::Container(container).resources().add_claims().set_name(claim);
      }
    }
  }
}

}  // namespace coppice::operators
