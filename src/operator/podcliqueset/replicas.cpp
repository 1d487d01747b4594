#include "operator/podcliqueset/components.h"
#include "operator/podcliqueset/rolling_update.h"
#include "operator/podcliqueset/termination.h"

namespace coppice::operators::podcliqueset {

StepOutcome SyncReplicas(const Context& context, api::grove::PodCliqueSet& set,
                         const Scope& scope) {
  const std::vector<int> replicas = scope.Of(set.spec.replicas);
  const SetChildren children = ReadChildren(context, set, replicas);
  TerminationResult termination = TerminateBreachedReplicas(context, set, children, replicas);
  if (set.spec.UpdatesByItself() && set.status.UpdateRunning()) {
    termination.outcome.Merge(AdvanceUpdate(context, set, children, termination));
  }
  return termination.outcome;
}

}  // namespace coppice::operators::podcliqueset
