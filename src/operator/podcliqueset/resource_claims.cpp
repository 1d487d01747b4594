#include "operator/common/resource_claims.h"

#include "operator/podcliqueset/components.h"

namespace coppice::operators::podcliqueset {

StepOutcome SyncResourceClaims(const Context& context, const api::grove::PodCliqueSet& set) {
  return SyncClaims(context, set, SetClaims(set));
}

}  // namespace coppice::operators::podcliqueset
