#include "services/grouper/owner_walk.h"

#include <fmt/format.h>

#include "kube/object.h"
#include "services/grouper/groups/values.h"

namespace coppice::services::grouper {
namespace {

// Owners may form a cycle by mistake; no real chain is this long.
constexpr size_t kMaxOwners = 32;

using References = view::List<view::meta::OwnerReference>;

References OwnersOf(const json::Value& object) {
  return Object(object).metadata().ownerReferences();
}

base::Error NotReadable(view::meta::OwnerReference reference, const json::Value& pod,
                        const base::Error& error) {
  return base::Error(error.code(), fmt::format("failed to find {}: <{}/{}>, uid: <{}>: {}",
                                               reference.kind(), kube::Namespace(pod),
                                               reference.name(), reference.uid(), error.message()));
}

base::Result<json::Value> Read(ClusterLookup& lookup, view::meta::OwnerReference reference,
                               const json::Value& pod) {
  return lookup.GetExact(reference.apiVersion(), reference.kind(), kube::Namespace(pod),
                         reference.name(), reference.uid());
}

base::Error MultipleOwners(const json::Value& owner) {
  return base::InvalidArgument(fmt::format("multiple owners: {} {} has {} owner references",
                                           kube::Kind(owner), kube::Name(owner),
                                           OwnersOf(owner).size()));
}

}  // namespace

base::Result<Workload> ResolveOwners(ClusterLookup& lookup, const json::Value& pod) {
  Workload workload{pod, pod, {}};
  while (!OwnersOf(workload.top_owner).empty()) {
    if (workload.owners.size() == kMaxOwners) {
      return base::InvalidArgument(
          fmt::format("the pod has more than {} owners above it", kMaxOwners));
    }
    const view::meta::OwnerReference reference = OwnersOf(workload.top_owner).At(0);
    base::Result<json::Value> owner = Read(lookup, reference, pod);
    if (owner.Is(base::ErrorCode::kForbidden)) break;
    if (!owner) return NotReadable(reference, pod, owner.error());
    if (OwnersOf(*owner).size() > 1) return MultipleOwners(*owner);
    workload.owners.push_back(*owner);
    workload.top_owner = *std::move(owner);
  }
  return workload;
}

}  // namespace coppice::services::grouper
