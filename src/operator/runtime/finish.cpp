#include "operator/runtime/finish.h"

namespace coppice::operators {

base::Result<kube::Requeue> Finish(const StepOutcome& outcome) {
  if (outcome.kind() == StepOutcome::Kind::kFailed) return outcome.errors().front().error;
  if (outcome.after()) return kube::Requeue::After(*outcome.after());
  return kube::Requeue::Done();
}

}  // namespace coppice::operators
