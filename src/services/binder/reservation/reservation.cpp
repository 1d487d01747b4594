#include "services/binder/reservation/reservation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"
#include "services/binder/model/outcome.h"
#include "services/binder/reservation/reservation_pod.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::services::binder {
namespace {

constexpr const char* kByGroup = "gpu-group";
// While the cluster grows, a pod that asks for a node may be placed where the reservation would go.
// Not for longer: some pods ask for a node that never comes.
constexpr base::Duration kScalingPatience = std::chrono::seconds(10);
constexpr const char* kByNode = "gpu-node";

std::vector<std::string> NodeIfShared(const json::Value& pod) {
  if (GpuGroupsOf(pod).empty()) return {};
  return {std::string(view::core::Pod(pod).spec().nodeName())};
}

bool IsPhase(const json::Value& pod, std::string_view phase) {
  return view::core::Pod(pod).status().phase() == phase;
}

// Of those whose reservation is gone.
bool IsToBeDeleted(const json::Value& consumer) {
  return IsPhase(consumer, "Running") && !kube::IsDeleting(consumer);
}

bool IsBound(const json::Value& pod) { return !view::core::Pod(pod).spec().nodeName().empty(); }

bool IsActive(const json::Value& request) {
  return view::kai::BindRequest(request).status().phase() != "Succeeded" && !IsGivenUp(request);
}

std::string ReportedGpu(const json::Value& reservation) {
  return std::string(kube::Annotation(reservation, names::kReservedGpu));
}

void LogIfFailed(const base::Status& status, std::string_view what) {
  if (status) return;
  base::LogWarn("cannot reconcile a GPU reservation",
                {{"name", std::string(what)}, {"error", status.error().message()}});
}

bool Lists(const json::Value& request, const std::string& group) {
  const auto selected = view::kai::BindRequest(request).spec().selectedGPUGroups();
  return std::find(selected.begin(), selected.end(), group) != selected.end();
}

}  // namespace

base::Result<bool> IsWanted(kube::Client& client, const json::Value& request) {
  const auto live = client.Get(api::kBindRequests, kube::KeyOf(request));
  if (live) return kube::Uid(*live) == kube::Uid(request) && IsActive(*live);
  if (live.Is(base::ErrorCode::kNotFound)) return false;
  return live.error();
}

// Keeps a group's mutex alive while someone holds or waits for it.
class Reservation::GroupLock {
 public:
  GroupLock(Reservation& reservation, const std::string& group)
      : mutex_(Find(reservation, group)), lock_(*mutex_) {}

 private:
  static std::shared_ptr<std::mutex> Find(Reservation& reservation, const std::string& group) {
    std::lock_guard lock(reservation.mutex_);
    std::erase_if(reservation.locks_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<std::mutex>& slot = reservation.locks_[group];
    auto mutex = slot.lock();
    if (!mutex) slot = mutex = std::make_shared<std::mutex>();
    return mutex;
  }

  std::shared_ptr<std::mutex> mutex_;
  std::unique_lock<std::mutex> lock_;
};

Reservation::Reservation(kube::Runtime runtime, const Options& options)
    : runtime_(runtime),
      options_(options),
      pods_(runtime.cache.InformerFor(api::kPods)),
      requests_(runtime.cache.InformerFor(api::kBindRequests)) {
  pods_.AddIndex(kByGroup, GpuGroupsOf);
  pods_.AddIndex(kByNode, NodeIfShared);
  requests_.AddIndex(kSelectedGroupIndex, GpuGroupsOfRequest);
}

// ---- Sync ------------------------------------------------------------------------------------

void Reservation::SyncAll() {
  const std::vector<json::Value> pods = pods_.List();
  SyncGroupsOf(pods);
  for (const json::Value& pod : pods) {
    const bool reserves = kube::Namespace(pod) == options_.reservation_namespace &&
                          kube::Label(pod, names::kAppLabel) == options_.reservation_app_label;
    if (!reserves || !GpuGroupsOf(pod).empty()) continue;
    LogIfFailed(DeleteReservation(pod), kube::Name(pod));
  }
}

void Reservation::SyncNode(const std::string& node) { SyncGroupsOf(pods_.ByIndex(kByNode, node)); }

void Reservation::SyncGroupsOf(const std::vector<json::Value>& pods) {
  std::set<std::string> groups;
  for (const json::Value& pod : pods) {
    for (std::string& group : GpuGroupsOf(pod)) groups.insert(std::move(group));
  }
  for (const std::string& group : groups) LogIfFailed(SyncGroup(group), group);
}

base::Status Reservation::SyncGroup(const std::string& group) {
  const GroupLock lock(*this, group);
  return SyncLocked(group);
}

// A pod that waits uses no GPU, although a bind that failed may have left it its label; the request
// by which it is being bound protects the reservation.
Reservation::Members Reservation::Sort(const std::vector<json::Value>& pods) const {
  Members members;
  for (const json::Value& pod : pods) {
    if (kube::Namespace(pod) == options_.reservation_namespace) {
      members.reservations.push_back(pod);
    } else if (IsBound(pod) && (IsPhase(pod, "Pending") || IsPhase(pod, "Running"))) {
      members.consumers.push_back(pod);
    }
  }
  return members;
}

Reservation::Members Reservation::CachedMembers(const std::string& group) const {
  return Sort(pods_.ByIndex(kByGroup, group));
}

base::Result<Reservation::Members> Reservation::LiveMembers(const std::string& group) const {
  std::vector<json::Value> pods;
  for (const bool many : {false, true}) {
    const std::string selector = GpuGroupLabelKey(group, many) + "=" + group;
    COPPICE_ASSIGN(kube::ObjectList list,
                   runtime_.client.List(api::kPods, {.label_selector = selector}));
    pods.insert(pods.end(), list.items.begin(), list.items.end());
  }
  return Sort(pods);
}

bool Reservation::IsKnownToBeBound(const std::string& group, std::string_view but) const {
  for (const json::Value& request : requests_.ByIndex(kSelectedGroupIndex, group)) {
    if (IsActive(request) && kube::Uid(request) != but) return true;
  }
  return false;
}

base::Result<bool> Reservation::IsBeingBound(const std::string& group, std::string_view but) const {
  if (IsKnownToBeBound(group, but)) return true;
  COPPICE_ASSIGN(const kube::ObjectList list, runtime_.client.List(api::kBindRequests));
  for (const json::Value& request : list.items) {
    if (IsActive(request) && Lists(request, group) && kube::Uid(request) != but) return true;
  }
  return false;
}

base::Status Reservation::SyncLocked(const std::string& group) {
  const Members cached = CachedMembers(group);
  if (cached.reservations.empty() == cached.consumers.empty()) return {};
  if (cached.consumers.empty() && IsKnownToBeBound(group)) return {};
  const bool done = std::ranges::none_of(cached.consumers, IsToBeDeleted);
  if (cached.reservations.empty() && done) return {};
  COPPICE_ASSIGN(const Members members, LiveMembers(group));
  if (members.reservations.empty()) return DeleteRunning(members.consumers);
  if (!members.consumers.empty()) return {};
  COPPICE_ASSIGN(const bool wanted, IsBeingBound(group));
  if (wanted) return {};
  return DeleteReservations(members.reservations);
}

// Without its reservation a running pod may share the GPU with anyone.
base::Status Reservation::DeleteRunning(const std::vector<json::Value>& consumers) {
  base::Status first;
  for (const json::Value& pod : consumers) {
    if (!IsToBeDeleted(pod)) continue;
    base::LogWarn("deleting a pod whose GPU reservation is gone",
                  {{"pod", kube::KeyOf(pod).ToString()}});
    const base::Status deleted =
        runtime_.client.Delete(api::kPods, kube::KeyOf(pod), {.uid = std::string(kube::Uid(pod))});
    if (first && !deleted.Is(base::ErrorCode::kNotFound)) first = deleted;
  }
  return first;
}

base::Status Reservation::DeleteReservations(const std::vector<json::Value>& pods) {
  base::Status first;
  for (const json::Value& pod : pods) {
    if (const base::Status deleted = DeleteReservation(pod); first) first = deleted;
  }
  return first;
}

base::Status Reservation::DeleteReservation(const json::Value& pod) {
  const base::Status deleted =
      runtime_.client.Delete(api::kPods, kube::KeyOf(pod),
                             {.uid = std::string(kube::Uid(pod)), .grace_period_seconds = 0});
  if (deleted || deleted.Is(base::ErrorCode::kNotFound)) return {};
  return deleted;
}

// ---- Reserve ---------------------------------------------------------------------------------

bool Reservation::IsScalingUp() const {
  const std::vector<json::Value> pods = pods_.List(options_.scale_adjust_namespace);
  return std::ranges::any_of(
      pods, [](const json::Value& pod) { return !kube::ConditionIs(pod, "PodScheduled", "True"); });
}

base::Result<json::Value> Reservation::FindOrCreate(const BindContext& context,
                                                    const std::string& group) {
  const std::string node(kube::Name(context.node));
  const api::ObjectKey key{options_.reservation_namespace, ReservationPodName(node, group)};
  const Members members = CachedMembers(group);
  if (!members.reservations.empty()) return members.reservations.front();
  // The request is gone, so nothing would use it.
  COPPICE_ASSIGN(const bool wanted, IsWanted(runtime_.client, context.request));
  if (!wanted) return base::NotFound("the bind request is gone");
  base::Result<json::Value> created =
      runtime_.client.Create(api::kPods, MakeReservationPod(options_, context.pod, node, group));
  if (!created.Is(base::ErrorCode::kAlreadyExists)) return created;
  return runtime_.client.Get(api::kPods, key);
}

base::Status Reservation::LabelConsumer(const BindContext& context, const std::string& group) {
  COPPICE_ASSIGN(const std::optional<int64_t> devices, FractionDevices(context.pod));
  const std::string key = GpuGroupLabelKey(group, devices.value_or(1) > 1);
  if (kube::Label(context.pod, key) == group) {
    // The cache may not show yet that a bind that failed took the label away.
    COPPICE_ASSIGN(const json::Value live,
                   runtime_.client.Get(api::kPods, kube::KeyOf(context.pod)));
    if (kube::Label(live, key) == group) return {};
  }
  json::Value patch;
  edit::core::Pod(patch).metadata().labels().Set(key, group);
  const auto patched =
      runtime_.client.Patch(api::kPods, kube::KeyOf(context.pod), kube::PatchType::kMerge, patch);
  if (patched) return {};
  LogIfFailed(SyncLocked(group), group);
  return patched.error().During("labelling the pod with its GPU group");
}

base::Result<Reservation::Gpu> Reservation::Reserve(const BindContext& context,
                                                    const std::string& group) {
  const GroupLock lock(*this, group);
  const base::Duration waited = runtime_.executor.Elapsed() - context.started;
  if (waited < kScalingPatience && CachedMembers(group).reservations.empty() && IsScalingUp()) {
    return Gpu{Progress::Wait(kScalingPatience - waited), ""};
  }
  COPPICE_ASSIGN(const json::Value known, FindOrCreate(context, group));
  const bool may_wait = waited < options_.reservation_timeout;
  const Gpu not_yet{Progress::Wait(options_.reservation_timeout - waited), ""};
  if (ReportedGpu(known).empty() && may_wait) return not_yet;
  // The cache may not show yet that the pod has reported, or is gone: a reservation in use must not
  // be deleted, nor a pod bound to a deleted one.
  COPPICE_ASSIGN(const json::Value pod, runtime_.client.Get(api::kPods, kube::KeyOf(known)));
  if (kube::IsDeleting(pod)) return base::Unavailable("the reservation pod is being deleted");
  std::string id = ReportedGpu(pod);
  if (!id.empty()) {
    COPPICE_TRY(LabelConsumer(context, group));
    return Gpu{Progress::Done(), std::move(id)};
  }
  if (may_wait) return not_yet;
  COPPICE_TRY(DeleteReservation(pod));
  return base::Error(
      base::ErrorCode::kTimeout,
      fmt::format("reservation pod {} did not report its GPU within {}", kube::Name(pod),
                  base::FormatDuration(options_.reservation_timeout)));
}

base::Status Reservation::GiveBack(const json::Value& request, const std::string& group) {
  const GroupLock lock(*this, group);
  COPPICE_ASSIGN(const Members members, LiveMembers(group));
  if (members.reservations.empty() || !members.consumers.empty()) return {};
  COPPICE_ASSIGN(const bool wanted, IsBeingBound(group, kube::Uid(request)));
  if (wanted) return {};
  return DeleteReservations(members.reservations);
}

}  // namespace coppice::services::binder
