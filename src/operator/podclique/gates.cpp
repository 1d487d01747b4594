#include "operator/podclique/gates.h"

#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"
#include "operator/podclique/pod_facts.h"
#include "operator/runtime/parallel.h"

namespace coppice::operators::podclique {
namespace {

// This is called for every waiting pod in every reconcile, so format nothing unless debug logging
// is on.
void LogHeld(const json::Value& pod, const std::string& reason) {
  if (base::GetLogLevel() > base::LogLevel::kDebug) return;
  base::LogDebug("gate stays closed", {{"pod", kube::KeyOf(pod).ToString()}, {"reason", reason}});
}

StepOutcome Release(const Pass& pass, const json::Value& pod) {
  const backends::ReleaseDecision decision = pass.context.backends.CheckRelease(pod);
  if (!decision.release) {
    LogHeld(pod, decision.reason);
    return StepOutcome::ContinueAndRequeue(decision.reason);
  }
  if (decision.patch.empty()) return StepOutcome::Done();
  const auto patched = pass.context.runtime.client.Patch(api::kPods, kube::KeyOf(pod),
                                                         kube::PatchType::kJson, decision.patch);
  if (patched) base::LogDebug("opened gate", {{"pod", kube::KeyOf(pod).ToString()}});
  if (patched || patched.Is(base::ErrorCode::kNotFound)) return StepOutcome::Done();
  // Someone changed the pod: retry.
  if (patched.Is(base::ErrorCode::kInvalid) || patched.Is(base::ErrorCode::kConflict)) {
    return StepOutcome::ContinueAndRequeue(patched.error().message());
  }
  return StepOutcome::Failed("ERR_REMOVE_POD_SCHEDULING_GATE", "Sync", patched.error());
}

}  // namespace

StepOutcome ReleasePods(const Pass& pass) {
  std::vector<const json::Value*> gated;
  for (const json::Value& pod : pass.pods) {
    if (!kube::IsDeleting(pod) && IsGated(pod)) gated.push_back(&pod);
  }
  if (gated.empty()) return StepOutcome::Done();
  StepOutcome released =
      MergeUntilFailure(pass.context.runtime, kube::Priority::kHigh, gated.size(),
                        [&](size_t i) { return Release(pass, *gated[i]); });
  if (released.done()) {
    base::LogInfo("opened gates", {{"clique", pass.key().ToString()}, {"pods", gated.size()}});
  }
  return released;
}

}  // namespace coppice::operators::podclique
