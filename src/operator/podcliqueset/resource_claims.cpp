#include "operator/common/resource_claims.h"

#include "operator/podcliqueset/components.h"

namespace coppice::operators::podcliqueset {

Outcome SyncResourceClaims(const Context& context, const api::grove::PodCliqueSet& set) {
  return SyncClaims(context, set,
                    {.owner = set.object,
                     .claims = ReadClaims(set.spec.template_.resourceSharing),
                     .replicas = set.spec.replicas,
                     .labels = {},
                     .index_label = kReplicaIndexLabel,
                     .error_code = "ERR_SYNC_PCS_RESOURCE_CLAIM"});
}

}  // namespace coppice::operators::podcliqueset
