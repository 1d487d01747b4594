#include "operator/common/resource_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/object.h"
#include "operator/common/metadata.h"
#include "operator/common/names.h"

namespace coppice::operators {
namespace {

using api::grove::PodCliqueSet;

// The claim's spec: from the set's own templates, else from a ResourceClaimTemplate object.
base::Result<json::Value> ClaimSpec(const Context& context, const PodCliqueSet& set,
                                    const SharedClaim& claim) {
  if (claim.ns.empty()) {
    for (const auto& own : set.spec.template_.resourceClaimTemplates) {
      if (own.name == claim.name) return own.templateSpec["spec"];
    }
  }
  const api::ObjectKey key{claim.ns.empty() ? set.ns() : claim.ns, claim.name};
  const auto external = context.runtime.client.Get(api::kResourceClaimTemplates, key);
  // What users forgot is theirs to hear, unlike an object that our cache still shows.
  if (external.Is(base::ErrorCode::kNotFound)) {
    return base::Error(base::ErrorCode::kInvalid,
                       fmt::format("ResourceClaimTemplate {} does not exist", key.ToString()));
  }
  if (!external) return external.error();
  return (*external)["spec"]["spec"];
}

StringMap ClaimLabels(const PodCliqueSet& set, const ClaimLevel& level, std::optional<int> index) {
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(kComponentLabel)] = "resource-claim";
  labels.insert(level.labels.begin(), level.labels.end());
  if (index) labels[std::string(level.index_label)] = fmt::format("{}", *index);
  return labels;
}

base::Status SyncClaim(const Context& context, const PodCliqueSet& set, const ClaimLevel& level,
                       const SharedClaim& claim, std::optional<int> index,
                       const std::optional<json::Value>& existing) {
  const std::string name = names::Claim(kube::Name(level.owner), index, claim.name);
  json::Value object = existing ? *existing : kube::NewObject(api::kResourceClaims, set.ns(), name);
  MergeLabels(object, ClaimLabels(set, level, index));
  SetController(object, level.owner);
  // A claim's spec cannot change once it exists.
  if (!existing) {
    COPPICE_ASSIGN(json::Value spec, ClaimSpec(context, set, claim));
    object.Set("spec", std::move(spec));
  }
  const auto written = CreateOrPatchOwned(context.client(), api::kResourceClaims, existing, object);
  if (!written && !written.Is(base::ErrorCode::kAlreadyExists)) return written.error();
  return {};
}

std::optional<json::Value> FindByName(const std::vector<json::Value>& objects,
                                      std::string_view name) {
  for (const json::Value& object : objects) {
    if (kube::Name(object) == name) return object;
  }
  return std::nullopt;
}

// The claims of this level that exist. Claims are read from the server: few sets share any.
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
    if (!index || *index < level.replicas) continue;
    COPPICE_TRY(kube::DeleteObject(context.client(), api::kResourceClaims, claim));
  }
  return {};
}

base::Status SyncAll(const Context& context, const PodCliqueSet& set, const ClaimLevel& level) {
  COPPICE_ASSIGN(const std::vector<json::Value> existing, Existing(context, set, level));
  const std::string owner(kube::Name(level.owner));
  for (const SharedClaim& claim : level.claims) {
    for (int i = 0; i < (claim.per_replica ? level.replicas : 1); ++i) {
      const std::optional<int> index = claim.per_replica ? std::optional(i) : std::nullopt;
      COPPICE_TRY(SyncClaim(context, set, level, claim, index,
                            FindByName(existing, names::Claim(owner, index, claim.name))));
    }
  }
  return DeleteStale(context, level, existing);
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// First those for all replicas, then those of the one replica, in the order they are declared.
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

Outcome SyncClaims(const Context& context, const PodCliqueSet& set, const ClaimLevel& level) {
  if (level.claims.empty()) return Outcome::Done();
  OPERATOR_TRY(level.error_code, "Sync", SyncAll(context, set, level));
  return Outcome::Done();
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
        return Contains(item.filter->childCliqueNames, clique.name) ||
               (config != nullptr && Contains(item.filter->childScalingGroupNames, config->name));
      },
      claims);
  if (config != nullptr && group_replica) {
    AddLevel(
        config->resourceSharing, group, *group_replica,
        [&](const auto& item) {
          return !item.filter || Contains(item.filter->childCliqueNames, clique.name);
        },
        claims);
  }
  AddLevel(
      clique.resourceSharing, clique_name, pod_index, [](const auto&) { return true; }, claims);
  return claims;
}

void AddClaims(json::Value& pod_spec, const std::vector<std::string>& claims) {
  for (const std::string& claim : claims) {
    pod_spec.Mutable("resourceClaims")
        .Append(json::Value::Object({{"name", claim}, {"resourceClaimName", claim}}));
    for (const std::string_view list : {"containers", "initContainers"}) {
      json::Value* containers = pod_spec.FindMutable(list);
      if (containers == nullptr) continue;
      for (json::Value& container : containers->MutableItems()) {
        container.Mutable("resources")
            .Mutable("claims")
            .Append(json::Value::Object({{"name", claim}}));
      }
    }
  }
}

}  // namespace coppice::operators
