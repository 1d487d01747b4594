#include "operator/podclique/gates.h"

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/podclique/pod_facts.h"

namespace coppice::operators::podclique {

Outcome ReleasePods(const Pass& pass) {
  Outcome outcome = Outcome::Done();
  for (const json::Value& pod : pass.pods) {
    if (kube::IsDeleting(pod) || !IsGated(pod)) continue;
    const backends::ReleaseDecision decision = pass.context.backends.CheckRelease(pod);
    if (!decision.release) {
      outcome.Merge(Outcome::ContinueAndRequeue(decision.reason));
      continue;
    }
    if (decision.patch.empty()) continue;
    const auto patched = pass.context.runtime.client.Patch(api::kPods, kube::KeyOf(pod),
                                                           kube::PatchType::kJson, decision.patch);
    if (patched || patched.Is(base::ErrorCode::kNotFound)) continue;
    // Changed by someone, perhaps by an earlier pass that the cache does not show yet: look again.
    if (patched.Is(base::ErrorCode::kInvalid) || patched.Is(base::ErrorCode::kConflict)) {
      outcome.Merge(Outcome::ContinueAndRequeue(patched.error().message()));
      continue;
    }
    return Outcome::Failed("ERR_REMOVE_POD_SCHEDULING_GATE", "Sync", patched.error());
  }
  return outcome;
}

}  // namespace coppice::operators::podclique
