#include "backends/reconciler.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "backends/labels.h"
#include "backends/status.h"
#include "backends/translate.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr auto kProblemRetry = std::chrono::seconds(15);
constexpr auto kPendingRetry = std::chrono::seconds(1);
constexpr auto kUnsyncedRetry = std::chrono::milliseconds(100);

std::string PodSchedulerName(const std::vector<Value>& pods) {
  return pods.empty() ? std::string() : pods.front()["spec"]["schedulerName"].ToString();
}

std::optional<Refusal> CheckPods(const Selection& selection, const std::vector<Value>& pods) {
  for (const Value& pod : pods) {
    const std::string_view name = pod["spec"]["schedulerName"].AsString();
    if (name == selection.scheduler_name || selection.backend->Matches(name)) continue;
    return Refusal{std::string(reasons::kSchedulerMismatch), "spec.schedulerName",
                   fmt::format("pod {} asks for scheduler \"{}\", the gang is for backend {}",
                               kube::Name(pod), name, selection.backend->name())};
  }
  return std::nullopt;
}

std::vector<Value> LiveObjects(const GangInput& input, const Translation& translation) {
  std::vector<Value> objects;
  for (const DesiredObject& desired : translation.objects) {
    const api::ObjectKey key{desired.resource.namespaced ? input.gang.ns : std::string(),
                             std::string(kube::Name(desired.object))};
    objects.push_back(input.cluster->Get(desired.resource, key).value_or(Value()));
  }
  return objects;
}

}  // namespace

BackendReconciler::BackendReconciler(std::string backend, kube::Runtime runtime,
                                     ClusterState& state, CurrentSet current)
    : backend_(std::move(backend)),
      runtime_(runtime),
      state_(state),
      current_(std::move(current)),
      syncer_(runtime.client, "coppice-backend-" + backend_),
      reader_(state) {
  runtime_.metrics.Describe("coppice_backend_sync_seconds",
                            "Time to bring a gang's objects up to date, by backend.");
  runtime_.metrics.Describe("coppice_backend_sync_problems_total",
                            "Gangs that could not be handed over, by backend and reason.");
  runtime_.metrics.Describe("coppice_backend_writes_total", "API writes for gangs, by backend.");
}

base::Result<kube::Requeue> BackendReconciler::Reconcile(const api::ObjectKey& key) {
  const std::shared_ptr<const BackendSet> backends = current_();
  const BackendInstance* instance = backends->ByName(backend_);
  if (instance == nullptr) return kube::Requeue::Done();
  if (!state_.Synced()) return kube::Requeue::After(kUnsyncedRetry);
  const auto gang = CacheView(state_).Get(api::kPodGangs, key);
  if (!gang || kube::IsDeleting(*gang)) return kube::Requeue::Done();
  const std::vector<Value> pods = CacheView(state_).GangPods(key.ns, key.name);
  const auto selection = SelectForGang(*backends, *gang, PodSchedulerName(pods));
  if (!selection || selection->backend->name() != backend_) {
    COPPICE_TRY(RemoveLeftovers(*gang, *instance));
    return kube::Requeue::Done();
  }
  const base::Time start = runtime_.executor.Now();
  auto result = ReconcileGang(*gang, *backends, *selection);
  const std::chrono::duration<double> seconds = runtime_.executor.Now() - start;
  runtime_.metrics.Observe("coppice_backend_sync_seconds", {{"backend", backend_}},
                           seconds.count());
  if (!result) {
    runtime_.metrics.Increment("coppice_backend_sync_problems_total",
                               {{"backend", backend_}, {"reason", "Error"}});
  }
  return result;
}

base::Result<kube::Requeue> BackendReconciler::ReconcileGang(const Value& gang,
                                                             const BackendSet& backends,
                                                             const Selection& selection) {
  const SchedulerBackend& backend = *selection.backend;
  const GangInput input = reader_.Read(gang, selection, backends.config().grove_compatibility);
  const std::vector<Value> pods = input.cluster->GangPods(input.gang.ns, input.gang.name);
  Translation translation = TranslateGang(backend, input);
  if (!translation.refusal) translation.refusal = CheckPods(selection, pods);
  COPPICE_TRY(EnsureAnnotations(gang, backend));
  COPPICE_ASSIGN(const SyncReport report, Sync(input, gang, backend, translation, pods));
  const Value status = ComputeStatus({.gang = input,
                                      .old_status = gang["status"],
                                      .pods = pods,
                                      .signals = backend.ReadSignals(input, report.objects, pods),
                                      .problem = report.problem,
                                      .outcomes = translation.outcomes,
                                      .now = base::FormatRfc3339(runtime_.executor.Now())});
  if (!input.grove_compatibility && status != gang["status"]) {
    COPPICE_TRY(WriteStatus(input, gang, status));
    Report(input, gang, status, translation);
  }
  if (report.pending) return kube::Requeue::After(kPendingRetry);
  return report.problem ? kube::Requeue::After(kProblemRetry) : kube::Requeue::Done();
}

base::Result<SyncReport> BackendReconciler::Sync(const GangInput& input, const Value& gang,
                                                 const SchedulerBackend& backend,
                                                 const Translation& translation,
                                                 std::span<const Value> pods) {
  if (translation.refusal) {
    return SyncReport{.problem = translation.refusal,
                      .objects = LiveObjects(input, translation)};
  }
  COPPICE_ASSIGN(SyncReport report,
                 syncer_.Sync(input, gang, translation, backend.Resources(), pods));
  if (report.writes > 0) {
    runtime_.metrics.Increment("coppice_backend_writes_total", {{"backend", backend_}},
                               report.writes);
  }
  return report;
}

base::Status BackendReconciler::EnsureAnnotations(const Value& gang,
                                                  const SchedulerBackend& backend) {
  Value missing = Value::Object();
  for (const json::Member& member : backend.GangAnnotations().Members()) {
    if (gang["metadata"]["annotations"][member.name()] != member.value) {
      missing.Set(member.name(), member.value);
    }
  }
  if (missing.empty()) return {};
  const Value patch =
      Value::Object({{"metadata", Value::Object({{"annotations", std::move(missing)}})}});
  const auto patched = runtime_.client.Patch(api::kPodGangs, kube::KeyOf(gang),
                                             kube::PatchType::kMerge, patch);
  if (!patched) return patched.error().During("annotating the gang");
  return {};
}

base::Status BackendReconciler::WriteStatus(const GangInput&, const Value& gang,
                                            const Value& status) {
  Value changed = status;
  if (gang["status"].Has("placementScore") && !status.Has("placementScore")) {
    changed.Set("placementScore", nullptr);
  }
  const Value patch = Value::Object(
      {{"metadata", Value::Object({{"resourceVersion", kube::ResourceVersion(gang)}})},
       {"status", std::move(changed)}});
  const auto patched =
      runtime_.client.Patch(api::kPodGangs, kube::KeyOf(gang), kube::PatchType::kMerge, patch,
                            {.subresource = "status"});
  if (!patched && !patched.Is(base::ErrorCode::kNotFound)) {
    return patched.error().During("writing the gang's status");
  }
  runtime_.metrics.Increment("coppice_backend_status_writes_total", {{"backend", backend_}});
  return {};
}

void BackendReconciler::Report(const GangInput& input, const Value& gang, const Value& status,
                               const Translation& translation) {
  bool loud = false;
  for (const Outcome& outcome : translation.outcomes) loud |= !outcome.quiet;
  for (const Transition& transition : BadTransitions(gang["status"], status)) {
    if (transition.type == "TranslationDegraded" && !loud) continue;
    runtime_.metrics.Increment("coppice_backend_sync_problems_total",
                               {{"backend", backend_}, {"reason", transition.reason}});
    runtime_.events.Event(gang, "Warning", transition.reason, transition.message);
    if (input.set.IsObject()) {
      runtime_.events.Event(input.set, "Warning", transition.reason,
                            fmt::format("gang {}: {}", input.gang.name, transition.message));
    }
  }
}

base::Status BackendReconciler::RemoveLeftovers(const Value& gang,
                                                const BackendInstance& instance) {
  const GangInput input = reader_.Read(
      gang, {instance.backend, instance.profile, std::string()}, /*compatibility=*/false);
  COPPICE_TRY(syncer_.DeleteAll(input, instance.backend->Resources()));
  return {};
}

}  // namespace coppice::backends
