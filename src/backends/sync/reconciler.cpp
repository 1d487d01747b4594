#include "backends/sync/reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/grove.h"
#include "api/key/grove.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/framework/pods.h"
#include "backends/gangs/status.h"
#include "backends/gangs/translate.h"
#include "backends/model/labels.h"
#include "base/log.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using api::grove::kGangBackendSynced;
using api::grove::kGangInitialized;
using api::grove::kGangScheduled;
using api::grove::kGangTranslationDegraded;
using json::Value;
using view::core::Pod;
using view::grove::PodGang;

constexpr auto kProblemRetry = std::chrono::seconds(15);
constexpr auto kPendingRetry = std::chrono::seconds(1);
// How often a waiting gang may be woken.
constexpr auto kWakeEvery = std::chrono::seconds(5);
constexpr auto kUnsyncedRetry = std::chrono::milliseconds(100);

std::string PodSchedulerName(const std::vector<Value>& pods) {
  return pods.empty() ? std::string() : std::string(Pod(pods.front()).spec().schedulerName());
}

std::optional<Refusal> CheckPods(const Selection& selection, const std::vector<Value>& pods) {
  for (const Value& pod : pods) {
    const std::string_view name = Pod(pod).spec().schedulerName();
    if (name == selection.scheduler_name) continue;
    if (Serves(*selection.backend, selection.profile, name)) continue;
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

bool IsGated(const Value& pod) { return !Pod(pod).spec().schedulingGates().empty(); }

const Value& StatusOf(const Value& gang) { return PodGang(gang).status().Json(); }

// A pod that its scheduler may place but has not placed.
bool IsUnscheduled(const Value& pod) { return IsLive(pod) && !IsBound(pod) && !IsGated(pod); }

// Whether others wait for this status: pods of scaled gangs and surplus pods are held until the
// gang is scheduled.
bool BlocksOthers(const GangInput& input, const Value& gang, const Value& status,
                  std::span<const Value> pods) {
  const bool was = kube::ConditionIs(gang, kGangScheduled, "True");
  if (was || !StatusHas(status, kGangScheduled)) return false;
  const auto tmpl = view::grove::PodCliqueSet(input.set).spec().template_();
  return !tmpl.podCliqueScalingGroups().empty() || std::any_of(pods.begin(), pods.end(), &IsGated);
}

// Whether the gang references every pod that its cliques want.
bool HasAllPods(const GangInput& input) {
  const auto complete = [&](const PodGroupInfo& group) {
    const auto clique = input.cluster->Get(api::kPodCliques, {input.gang.ns, group.name});
    return clique && !kube::IsDeleting(*clique) &&
           static_cast<int64_t>(group.pod_references.size()) >=
               view::grove::PodClique(*clique).spec().replicas();
  };
  const auto& groups = input.gang.pod_groups;
  return !groups.empty() && std::all_of(groups.begin(), groups.end(), complete);
}

// Nothing waits for the status of a gang whose pods are still being created, and it is written
// again when all of them exist.
bool AwaitsPods(const Value& gang, const Value& status) {
  return !StatusHas(status, kGangInitialized) && !StatusHas(status, kGangScheduled) &&
         BadTransitions(StatusOf(gang), status).empty();
}

std::string NamesOf(const Translation& translation) {
  std::vector<std::string> names;
  for (const DesiredObject& desired : translation.objects) {
    names.push_back(
        fmt::format("{}/{}", desired.resource.QualifiedName(), kube::Name(desired.object)));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

// For an object of any kind; fails if its resourceVersion has changed.
Value StatusPatch(const Repair::StatusReport& report) {
  Value patch;
  edit::meta::PartialObjectMetadata(patch).metadata().set_resourceVersion(
      kube::ResourceVersion(report.object));
  patch.Set(key::grove::PodGang::status, report.status);
  return patch;
}

// What is new and keeps pods from running, and that they are scheduled, is logged at info level,
// other conditions at debug level.
void LogTransitions(const std::string& backend, const Value& gang, const Value& status) {
  std::set<std::string> decisive;
  for (const Transition& bad : BadTransitions(StatusOf(gang), status)) decisive.insert(bad.type);
  if (StatusHas(status, kGangScheduled)) decisive.emplace(kGangScheduled);
  for (const Transition& transition : AllTransitions(StatusOf(gang), status)) {
    const auto level =
        decisive.contains(transition.type) ? base::LogLevel::kInfo : base::LogLevel::kDebug;
    if (level < base::GetLogLevel()) continue;
    base::Log(level, "gang's condition",
              {{"gang", kube::KeyOf(gang).ToString()},
               {"backend", backend},
               {"condition", transition.type},
               {"is", transition.reason},
               {"message", transition.message}});
  }
}

}  // namespace

BackendReconciler::BackendReconciler(std::string backend, kube::Runtime runtime,
                                     ClusterState& state, CurrentSet current)
    : backend_(std::move(backend)),
      runtime_(runtime),
      state_(state),
      current_(std::move(current)),
      syncer_(runtime.client, "coppice-backend-" + backend_),
      reader_(state),
      arrival_debouncer_({std::chrono::seconds(1), std::chrono::seconds(1), &runtime.priorities}),
      debouncer_({.priorities = &runtime.priorities}) {
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
  const base::Status readable = state_.Readable(UsesOf(*instance->backend, instance->profile));
  if (readable.Is(base::ErrorCode::kUnavailable)) return kube::Requeue::After(kUnsyncedRetry);
  const auto gang = CacheView(state_).Get(api::kPodGangs, key);
  if (!gang || kube::IsDeleting(*gang)) {
    Forget(key);
    const std::lock_guard lock(mutex_);
    woken_.erase(key);
    return kube::Requeue::Done();
  }
  const std::vector<Value> pods = CacheView(state_).GangPods(key.ns, key.name);
  const auto selection = SelectForGang(*backends, *gang, PodSchedulerName(pods));
  if (!selection) return kube::Requeue::Done();  // No backend serves it; existing objects stay.
  if (selection->backend->name() != backend_) {
    // All gangs are enqueued again once it is readable.
    if (!readable) return kube::Requeue::Done();
    COPPICE_TRY(RemoveLeftovers(*gang, *instance, *selection, pods));
    return kube::Requeue::Done();
  }
  const base::Instant start = runtime_.executor.Elapsed();
  auto result = ReconcileGang(*gang, *backends, *selection, readable);
  const std::chrono::duration<double> seconds = runtime_.executor.Elapsed() - start;
  runtime_.metrics.Observe("coppice_backend_sync_seconds", {{"backend", backend_}},
                           seconds.count());
  // A conflict is no problem: the next reconcile sees the current state.
  if (!result && !result.Is(base::ErrorCode::kConflict)) {
    runtime_.metrics.Increment("coppice_backend_sync_problems_total",
                               {{"backend", backend_}, {"reason", "Error"}});
  }
  return result;
}

base::Result<kube::Requeue> BackendReconciler::ReconcileGang(const Value& gang,
                                                             const BackendSet& backends,
                                                             const Selection& selection,
                                                             const base::Status& readable) {
  const SchedulerBackend& backend = *selection.backend;
  const GangInput input = reader_.Read(gang, selection, *backends.config().policy);
  const std::vector<Value> pods = input.cluster->GangPods(input.gang.ns, input.gang.name);
  Translation translation = TranslateGang(backend, input);
  // A translation without the objects that it could not read is meaningless.
  if (!readable) {
    translation.refusal =
        Refusal{std::string(reasons::kBackendUnavailable), "", readable.error().message()};
  }
  if (!translation.refusal) translation.refusal = CheckPods(selection, pods);
  // Upstream's operator removes them from its gangs, so both would write forever.
  const Value annotations =
      input.policy->AnnotatesGangsForBackend() ? backend.GangAnnotations() : Value::Object();
  COPPICE_ASSIGN(const bool annotated, Annotate(gang, annotations));
  if (annotated) return kube::Requeue::Done();  // The change triggers another reconcile.
  COPPICE_ASSIGN(const SyncReport report, Sync(input, gang, backend, translation, pods));
  const Value status = ComputeStatus({.gang = input,
                                      .old_status = StatusOf(gang),
                                      .pods = pods,
                                      .signals = GangSignals(backend, input, report.objects, pods),
                                      .problem = report.problem,
                                      .outcomes = translation.outcomes,
                                      .now = base::FormatRfc3339(runtime_.executor.Now()),
                                      .has_pods = HasAllPods(input)});
  base::Duration delay{};
  if (input.policy->BackendsWriteGangStatus() && status != StatusOf(gang)) {
    delay = DelayOf(input, gang, status, pods);
    if (delay == base::Duration::zero()) {
      COPPICE_TRY(WriteStatus(gang, status));
      LogTransitions(backend_, gang, status);
      Report(input, gang, status, translation);
    }
  }
  if (!input.policy->BackendsWriteGangStatus() && report.problem) {
    ReportAsEvent(gang, backend, *report.problem);
  }
  COPPICE_ASSIGN(const bool waits, DoRepair(input, gang, backend, report.objects, pods));
  COPPICE_ASSIGN(const bool sleeps, Wake(backend, gang, translation, pods));
  if (delay > base::Duration::zero()) return kube::Requeue::After(delay);
  if (report.pending || waits) return kube::Requeue::After(kPendingRetry);
  if (sleeps) return kube::Requeue::After(kWakeEvery);
  return report.problem ? kube::Requeue::After(kProblemRetry) : kube::Requeue::Done();
}

void BackendReconciler::LogHandOver(const Value& gang, const SyncReport& report,
                                    const std::string& objects) const {
  const std::string name = kube::KeyOf(gang).ToString();
  if (report.problem) {
    base::LogInfo("gang is not handed over", {{"gang", name},
                                              {"backend", backend_},
                                              {"objects", objects},
                                              {"problem", report.problem->message}});
  } else {
    base::LogInfo("handed gang over",
                  {{"gang", name}, {"backend", backend_}, {"objects", objects}});
  }
}

base::Result<SyncReport> BackendReconciler::Sync(const GangInput& input, const Value& gang,
                                                 const SchedulerBackend& backend,
                                                 const Translation& translation,
                                                 std::span<const Value> pods) {
  if (translation.refusal) {
    return SyncReport{.problem = translation.refusal, .objects = LiveObjects(input, translation)};
  }
  COPPICE_ASSIGN(SyncReport report,
                 syncer_.Sync(input, gang, translation, UsesOf(backend, input.profile), pods));
  if (report.writes > 0) {
    LogHandOver(gang, report, NamesOf(translation));
    runtime_.metrics.Increment("coppice_backend_writes_total", {{"backend", backend_}},
                               report.writes);
  }
  return report;
}

base::Result<bool> BackendReconciler::Annotate(const Value& gang, const Value& annotations) {
  Value missing = Value::Object();
  for (const json::Member& member : annotations.Members()) {
    if (kube::Annotation(gang, member.name()) != member.value.AsString()) {
      missing.Set(member.name(), member.value);
    }
  }
  if (missing.empty()) return false;
  Value patch;
  edit::grove::PodGang(patch).metadata().set_annotations(std::move(missing));
  const auto patched =
      runtime_.client.Patch(api::kPodGangs, kube::KeyOf(gang), kube::PatchType::kMerge, patch);
  if (!patched) return patched.error().During("annotating the gang");
  return true;
}

base::Duration BackendReconciler::DelayOf(const GangInput& input, const Value& gang,
                                          const Value& status, std::span<const Value> pods) {
  const api::ObjectKey key = kube::KeyOf(gang);
  kube::Debouncer* debouncer = nullptr;
  if (AwaitsPods(gang, status)) {
    debouncer = &arrival_debouncer_;
  } else if (OnlyImproves(StatusOf(gang), status) && !BlocksOthers(input, gang, status, pods)) {
    debouncer = &debouncer_;
  }
  if (debouncer != nullptr) {
    const base::Duration delay = debouncer->Delay(key, status, runtime_.executor.Elapsed());
    if (delay > base::Duration::zero()) return delay;
  }
  Forget(key);
  return base::Duration::zero();
}

void BackendReconciler::Forget(const api::ObjectKey& gang) {
  arrival_debouncer_.Forget(gang);
  debouncer_.Forget(gang);
}

base::Status BackendReconciler::WriteStatus(const Value& gang, const Value& status) {
  Value patch;
  const edit::grove::PodGang edit(patch);
  edit.metadata().set_resourceVersion(kube::ResourceVersion(gang));
  edit.set_status(status);
  if (PodGang(gang).status().has_placementScore() &&
      !view::grove::PodGangStatus(status).has_placementScore()) {
    edit.status().Json().Set(key::grove::PodGangStatus::placementScore, nullptr);
  }
  const auto patched = runtime_.client.Patch(
      api::kPodGangs, kube::KeyOf(gang), kube::PatchType::kMerge, patch, {.subresource = "status"});
  if (!patched && !patched.Is(base::ErrorCode::kNotFound)) {
    return patched.error().During("writing the gang's status");
  }
  runtime_.metrics.Increment("coppice_backend_status_writes_total", {{"backend", backend_}});
  return {};
}

base::Result<bool> BackendReconciler::DoRepair(const GangInput& input, const Value& gang,
                                               const SchedulerBackend& backend,
                                               std::span<const Value> objects,
                                               std::span<const Value> pods) {
  const Repair repair =
      GangRepair(backend, input, objects, pods, base::FormatRfc3339(runtime_.executor.Now()));
  // Annotate first, because recreated pods must see it.
  COPPICE_TRY(Annotate(gang, repair.gang_annotations));
  for (const Value& pod : repair.delete_pods) {
    const auto deleted =
        runtime_.client.Delete(api::kPods, kube::KeyOf(pod), {.uid = std::string(kube::Uid(pod))});
    if (!deleted && !deleted.Is(base::ErrorCode::kNotFound)) return deleted.error();
  }
  if (!repair.delete_pods.empty()) {
    base::LogInfo("restarting gang", {{"gang", kube::KeyOf(gang).ToString()},
                                      {"backend", backend_},
                                      {"reason", repair.reason},
                                      {"pods", repair.delete_pods.size()}});
    runtime_.events.Event(gang, "Warning", repair.reason,
                          fmt::format("deleted {} pods to start over", repair.delete_pods.size()));
  }
  for (const Repair::StatusReport& report : repair.reports) {
    const auto told =
        runtime_.client.Patch(report.resource, kube::KeyOf(report.object), kube::PatchType::kMerge,
                              StatusPatch(report), {.subresource = "status"});
    if (!told && !told.Is(base::ErrorCode::kNotFound)) return told.error();
  }
  return repair.waits;
}

base::Result<bool> BackendReconciler::Wake(const SchedulerBackend& backend, const Value& gang,
                                           const Translation& translation,
                                           std::span<const Value> pods) {
  if (!backend.NeedsWaking() || translation.objects.empty()) return false;
  const api::ObjectKey key = kube::KeyOf(gang);
  if (std::none_of(pods.begin(), pods.end(), &IsUnscheduled)) {
    const std::lock_guard lock(mutex_);
    woken_.erase(key);
    return false;
  }
  if (!NeedsNudge(key)) return true;
  const DesiredObject& object = translation.objects.front();
  Value mark;
  SetAnnotation(mark, labels::kWokenAt, base::FormatRfc3339Micro(runtime_.executor.Now()));
  const auto patched = runtime_.client.Patch(object.resource, kube::KeyOf(object.object),
                                             kube::PatchType::kMerge, mark);
  if (!patched && !patched.Is(base::ErrorCode::kNotFound)) return patched.error();
  return true;
}

// Only capacity that was freed after its pods began to wait counts; the scheduler has already
// considered the rest.
bool BackendReconciler::NeedsNudge(const api::ObjectKey& gang) {
  const uint64_t freed = state_.Freed();
  const base::Instant now = runtime_.executor.Elapsed();
  const std::lock_guard lock(mutex_);
  const auto [entry, first] = woken_.try_emplace(gang, Woken{freed, now});
  if (first || entry->second.freed == freed || now - entry->second.at < kWakeEvery) return false;
  entry->second = {freed, now};
  return true;
}

void BackendReconciler::Report(const GangInput& input, const Value& gang, const Value& status,
                               const Translation& translation) {
  bool loud = false;
  for (const Outcome& outcome : translation.outcomes) loud |= !outcome.quiet;
  for (const Transition& transition : BadTransitions(StatusOf(gang), status)) {
    if (transition.type == kGangTranslationDegraded && !loud) continue;
    runtime_.metrics.Increment("coppice_backend_sync_problems_total",
                               {{"backend", backend_}, {"reason", transition.reason}});
    runtime_.events.Event(gang, "Warning", transition.reason, transition.message);
    if (input.set.IsObject()) {
      runtime_.events.Event(input.set, "Warning", transition.reason,
                            fmt::format("gang {}: {}", input.gang.name, transition.message));
    }
  }
}

void BackendReconciler::ReportAsEvent(const Value& gang, const SchedulerBackend& backend,
                                      const Refusal& problem) {
  runtime_.metrics.Increment("coppice_backend_sync_problems_total",
                             {{"backend", backend_}, {"reason", problem.reason}});
  const std::string_view named = backend.GroveProblemEvent();
  runtime_.events.Event(
      gang, "Warning", named.empty() ? problem.reason : std::string(named),
      problem.path.empty() ? problem.message : problem.path + ": " + problem.message);
}

base::Status BackendReconciler::RemoveLeftovers(const Value& gang, const BackendInstance& instance,
                                                const Selection& selection,
                                                std::span<const Value> pods) {
  const GangInput input = reader_.Read(gang, {instance.backend, instance.profile, std::string()},
                                       CompatibilityPolicy::Coppice());
  // Kinds that the gang's own backend also writes (those of an admission layer) are cleaned up by
  // that backend.
  std::set<std::string> kept;
  for (const ResourceUse& use : UsesOf(*selection.backend, selection.profile)) {
    if (use.write) kept.insert(use.resource.QualifiedName());
  }
  std::vector<ResourceUse> uses = UsesOf(*instance.backend, instance.profile);
  std::erase_if(
      uses, [&](const ResourceUse& use) { return kept.contains(use.resource.QualifiedName()); });
  COPPICE_TRY(syncer_.DeleteAll(input, uses, pods));
  return {};
}

}  // namespace coppice::backends
