#include "services/grouper/owner_walk.h"

#include <fmt/format.h>

#include "kube/object.h"

namespace coppice::services::grouper {
namespace {

// Owners may form a cycle by mistake; no real chain is this long.
constexpr size_t kMaxOwners = 32;

base::Error NotReadable(const json::Value& reference, const json::Value& pod,
                        const base::Error& error) {
  return base::Error(error.code(), fmt::format("failed to find {}: <{}/{}>, uid: <{}>: {}",
                                               reference["kind"].AsString(), kube::Namespace(pod),
                                               reference["name"].AsString(),
                                               reference["uid"].AsString(), error.message()));
}

base::Result<json::Value> Read(ClusterLookup& lookup, const json::Value& reference,
                               const json::Value& pod) {
  return lookup.GetExact(reference["apiVersion"].AsString(), reference["kind"].AsString(),
                         kube::Namespace(pod), reference["name"].AsString(),
                         reference["uid"].AsString());
}

base::Error MultipleOwners(const json::Value& owner) {
  return base::InvalidArgument(fmt::format("multiple owners: {} {} has {} owner references",
                                           kube::Kind(owner), kube::Name(owner),
                                           owner["metadata"]["ownerReferences"].size()));
}

}  // namespace

base::Result<Workload> ResolveOwners(ClusterLookup& lookup, const json::Value& pod) {
  Workload workload{pod, pod, {}};
  json::Value references = pod["metadata"]["ownerReferences"];
  while (!references.empty()) {
    if (workload.owners.size() == kMaxOwners) {
      return base::InvalidArgument(
          fmt::format("the pod has more than {} owners above it", kMaxOwners));
    }
    const json::Value& reference = references.At(0);
    base::Result<json::Value> owner = Read(lookup, reference, pod);
    if (owner.Is(base::ErrorCode::kForbidden)) break;
    if (!owner) return NotReadable(reference, pod, owner.error());
    workload.owners.push_back(*owner);
    workload.top_owner = *owner;
    references = (*owner)["metadata"]["ownerReferences"];
    if (references.size() > 1) return MultipleOwners(*owner);
  }
  return workload;
}

}  // namespace coppice::services::grouper
