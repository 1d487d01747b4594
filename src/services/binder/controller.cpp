#include "services/binder/controller.h"

#include <fmt/format.h>

#include <exception>
#include <set>

#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/events/events.h"
#include "kube/executor/priority.h"
#include "kube/object.h"
#include "services/binder/binder.h"
#include "services/binder/model/outcome.h"
#include "services/common/gpu_sharing.h"

namespace coppice::services::binder {
namespace {

constexpr base::Duration kAskAgain = std::chrono::seconds(1);
constexpr base::Duration kUndoLimit = std::chrono::seconds(30);
// How soon a bind whose report is deferred for other binds is looked at again.
constexpr base::Duration kLookAgain = std::chrono::seconds(1);

bool IsFinishedPhase(view::core::Pod pod) {
  const std::string_view phase = pod.status().phase();
  return phase == "Succeeded" || phase == "Failed";
}

class BindReconciler final : public kube::Reconciler {
 public:
  BindReconciler(kube::Runtime runtime, Options options)
      : runtime_(runtime),
        options_(std::move(options)),
        requests_(runtime.cache.InformerFor(api::kBindRequests)),
        pods_(runtime.cache.InformerFor(api::kPods)),
        nodes_(runtime.cache.InformerFor(api::kNodes)) {}

  base::Status Prepare() {
    COPPICE_ASSIGN(std::vector<NamedPlugin> plugins, MakePlugins(runtime_, options_));
    binder_ = std::make_unique<Binder>(runtime_, options_, std::move(plugins));
    return {};
  }

  Binder& binder() { return *binder_; }
  const Options& options() const { return options_; }

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    const std::optional<json::Value> request = requests_.Get(key);
    if (!request || kube::IsDeleting(*request) || IsSettled(*request)) {
      unreported_.Forget(key);
      return kube::Requeue::Done();
    }
    const std::string uid(kube::Uid(*request));
    if (!unreported_.Has(key, uid)) {
      const base::Result<Attempt> attempt = TryBind(*request);
      if (attempt && attempt->waiting) return kube::Requeue::After(attempt->retry);
      started_.Forget(uid);
      if (!attempt) return Settle(*request, Outcome::Failure(attempt.error().message()));
      if (!attempt->bound) return kube::Requeue::Done();
    }
    if (DefersToOtherBinds(key, uid)) return kube::Requeue::After(kLookAgain);
    return Settle(*request, Outcome::Success());
  }

 private:
  struct Attempt {
    bool waiting = false;
    base::Duration retry{};
    bool bound = true;  // False when the request was thrown away instead.
  };

  // When each request was first tried, for the timeouts of its steps.
  class StartTimes {
   public:
    base::Instant Of(const std::string& uid, base::Instant now) {
      std::lock_guard lock(mutex_);
      return times_.emplace(uid, now).first->second;
    }
    void Forget(const std::string& uid) {
      std::lock_guard lock(mutex_);
      times_.erase(uid);
    }

   private:
    std::mutex mutex_;  // Guards times_.
    std::map<std::string, base::Instant> times_;
  };

  // Requests that were carried out but whose status is not written yet, and since when.
  class UnreportedBinds {
   public:
    bool Has(const api::ObjectKey& key, const std::string& uid) {
      std::lock_guard lock(mutex_);
      const auto found = entries_.find(key);
      return found != entries_.end() && found->second.uid == uid;
    }
    base::Instant Since(const api::ObjectKey& key, const std::string& uid, base::Instant now) {
      std::lock_guard lock(mutex_);
      Entry& entry = entries_[key];
      if (entry.uid != uid) entry = {uid, now};
      return entry.since;
    }
    void Forget(const api::ObjectKey& key) {
      std::lock_guard lock(mutex_);
      entries_.erase(key);
    }

   private:
    struct Entry {
      std::string uid;
      base::Instant since;
    };
    std::mutex mutex_;  // Guards entries_.
    std::map<api::ObjectKey, Entry> entries_;
  };

  // Unbound pods come before reports about bound ones. A process that stops in between loses
  // nothing: the next one finds the pod bound and reports it.
  bool DefersToOtherBinds(const api::ObjectKey& key, const std::string& uid) {
    const base::Instant now = runtime_.executor.Elapsed();
    if (runtime_.priorities.AnyUrgent() &&
        runtime_.priorities.ShouldDefer(unreported_.Since(key, uid, now), now)) {
      return true;
    }
    unreported_.Forget(key);
    return false;
  }

  // A request that was given up must not be carried out: its resources may belong to another pod.
  static bool IsSettled(const json::Value& request) {
    return view::kai::BindRequest(request).status().phase() == "Succeeded" || IsGivenUp(request);
  }

  base::Result<json::Value> Read(kube::Informer& informer, const api::ObjectKey& key) {
    if (auto cached = informer.Get(key)) return *cached;
    return runtime_.client.Get(informer.resource(), key);
  }

  base::Result<Attempt> TryBind(const json::Value& request) {
    const kube::PriorityScope binding(runtime_.priorities, kube::Priority::kHighest);
    const auto spec = view::kai::BindRequest(request).spec();
    BindContext context;
    context.request = request;
    COPPICE_ASSIGN(context.pod, Read(pods_, {std::string(kube::Namespace(request)),
                                             std::string(spec.podName())}));
    if (!view::core::Pod(context.pod).spec().nodeName().empty()) return Attempt{};
    // Where another binder gave it up, which our cache may not show yet, its room is not ours any
    // more.
    const base::Result<bool> wanted = IsWanted(runtime_.client, request);
    if (!wanted) return Attempt{.waiting = true, .retry = kAskAgain};
    if (!*wanted) return Attempt{.bound = false};
    auto node = Read(nodes_, {"", std::string(spec.selectedNode())});
    if (!node) return Undo(context, node.error());
    context.node = *std::move(node);
    if (context.IsFraction() && spec.selectedGPUGroups().empty()) return Discard(request);
    context.started = started_.Of(std::string(kube::Uid(request)), runtime_.executor.Elapsed());
    const base::Result<Progress> progress = Guarded(context);
    if (progress) return Attempt{!progress->done, progress->retry};
    const base::Result<bool> bound = IsBoundAfterAll(context.pod);
    if (!bound) return Attempt{.waiting = true, .retry = kAskAgain};
    if (*bound) return Attempt{};
    const base::Result<Attempt> undone = Undo(context, progress.error());
    return undone || !IsGone(request) ? undone : Attempt{.bound = false};
  }

  // Another binder, or the scheduler, finished it first: there is nothing to report.
  bool IsGone(const json::Value& request) {
    const base::Result<bool> wanted = IsWanted(runtime_.client, request);
    return wanted && !*wanted;
  }

  // Remains of a bind, such as a claim with its devices, would block the next one: so for a while
  // the same bind is retried instead.
  base::Result<Attempt> Undo(const BindContext& context, const base::Error& reason) {
    const base::Status undone = binder_->Rollback(context);
    if (undone) return reason;
    base::LogWarn(
        "a failed bind could not be rolled back completely",
        {{"pod", kube::KeyOf(context.pod).ToString()}, {"error", undone.error().message()}});
    if (runtime_.executor.Elapsed() - context.started > kUndoLimit) return reason;
    return Attempt{.waiting = true, .retry = kAskAgain};
  }

  // The response to our own binding was lost, or another binder was first: there is nothing to roll
  // back. While this is unknown, the request must not fail: its resources would be given to another
  // pod.
  base::Result<bool> IsBoundAfterAll(const json::Value& pod) {
    const auto live = runtime_.client.Get(api::kPods, kube::KeyOf(pod));
    if (!live && live.Is(base::ErrorCode::kNotFound)) return false;
    if (!live) return live.error();
    return kube::Uid(*live) == kube::Uid(pod) && !view::core::Pod(*live).spec().nodeName().empty();
  }

  // A defect in one bind must not take the others down.
  base::Result<Progress> Guarded(BindContext& context) {
    try {
      return binder_->Bind(context);
    } catch (const std::exception& defect) {
      return base::Internal(fmt::format("Internal Error: {}", defect.what()));
    }
  }

  base::Result<Attempt> Discard(const json::Value& request) {
    base::LogWarn("discarding a bind request for a shared GPU that names none",
                  {{"request", kube::KeyOf(request).ToString()}});
    COPPICE_TRY(runtime_.client.Delete(api::kBindRequests, kube::KeyOf(request)));
    return Attempt{.bound = false};
  }

  base::Result<kube::Requeue> Settle(const json::Value& request, const Outcome& outcome) {
    const StatusChange change = NextStatus(request, outcome);
    ReportOnPod(request, outcome);
    if (!change.patch.IsNull()) {
      const auto patched =
          runtime_.client.Patch(api::kBindRequests, kube::KeyOf(request), kube::PatchType::kMerge,
                                change.patch, {.subresource = "status"});
      if (!patched && !patched.Is(base::ErrorCode::kNotFound)) return patched.error();
    }
    return change.retry ? kube::Requeue::After(*change.retry) : kube::Requeue::Done();
  }

  void ReportOnPod(const json::Value& request, const Outcome& outcome) {
    const api::ObjectKey key{std::string(kube::Namespace(request)),
                             std::string(view::kai::BindRequest(request).spec().podName())};
    const auto pod = Read(pods_, key);
    if (!pod) return;
    const PodReport report = MakeReport(request, outcome);
    runtime_.events.Event(*pod, report.event_type, report.reason, report.message, kControllerName);
    const auto patch = PodBoundPatch(*pod, report, runtime_.executor.Now());
    if (!patch) return;
    const auto patched = runtime_.client.Patch(api::kPods, key, kube::PatchType::kStrategic, *patch,
                                               {.subresource = "status"});
    if (!patched && !patched.Is(base::ErrorCode::kNotFound)) {
      base::LogWarn("a pod condition could not be written",
                    {{"pod", key.ToString()}, {"error", patched.error().message()}});
    }
  }

  kube::Runtime runtime_;
  const Options options_;
  kube::Informer& requests_;
  kube::Informer& pods_;
  kube::Informer& nodes_;
  std::unique_ptr<Binder> binder_;
  StartTimes started_;
  UnreportedBinds unreported_;
};

// Groups whose users may have changed are brought in order one at a time, by group id.
class GroupReconciler final : public kube::Reconciler {
 public:
  explicit GroupReconciler(Binder& binder) : binder_(binder) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    COPPICE_TRY(binder_.reservation().SyncGroup(key.name));
    return kube::Requeue::Done();
  }

 private:
  Binder& binder_;
};

std::vector<api::ObjectKey> GroupKeys(const std::vector<std::string>& groups) {
  std::vector<api::ObjectKey> keys;
  for (const std::string& group : groups) keys.push_back({"", group});
  return keys;
}

std::vector<api::ObjectKey> RequestGroups(const json::Value& request) {
  return GroupKeys(GpuGroupsOfRequest(request));
}

// A bind that could not be rolled back completely leaves its group on the pod until the next bind.
bool LeftItsGroup(const kube::Change& change) {
  return change.type == kube::ChangeType::kUpdated &&
         GpuGroupsOf(change.old_object) != GpuGroupsOf(change.object);
}

kube::ControllerSpec GroupSpec(const Options& options) {
  kube::ControllerSpec spec{.name = "binder-gpu-groups", .workers = 1};
  // A request that failed, perhaps before it came to undo anything, protects no reservation.
  spec.Watches(api::kBindRequests, RequestGroups, [](const kube::Change& change) {
    return change.type == kube::ChangeType::kDeleted ||
           view::kai::BindRequest(change.object).status().phase() == "Failed";
  });
  spec.Watches(
      api::kPods, [](const json::Value& pod) { return GroupKeys(GpuGroupsOf(pod)); },
      [scheduler = options.scheduler_name,
       ns = options.reservation_namespace](const kube::Change& change) {
        // A reservation may come to light only after its request has failed and is gone.
        if (kube::Namespace(change.object) == ns) return change.type == kube::ChangeType::kAdded;
        const view::core::Pod pod(change.object);
        if (pod.spec().schedulerName() != scheduler) return false;
        return change.type == kube::ChangeType::kDeleted || IsFinishedPhase(pod) ||
               LeftItsGroup(change);
      });
  return spec;
}

bool IsNew(const kube::Change& change) { return change.type == kube::ChangeType::kAdded; }

// A request continues when the reservation pod it waits for reports its GPU.
kube::ControllerSpec RequestSpec(kube::Informer& requests, const Options& options) {
  kube::ControllerSpec spec{.name = std::string(kControllerName), .workers = options.workers};
  // Our own status writes do not trigger an early retry.
  spec.For(api::kBindRequests, kube::predicates::GenerationChanged)
      .WithPriority(kube::Priority::kHighest, IsNew);
  const std::string ns = options.reservation_namespace;
  spec.Watches(api::kPods, [&requests, ns](const json::Value& pod) {
    std::vector<api::ObjectKey> keys;
    if (kube::Namespace(pod) != ns) return keys;
    for (const std::string& group : GpuGroupsOf(pod)) {
      for (const json::Value& request : requests.ByIndex(kSelectedGroupIndex, group)) {
        keys.push_back(kube::KeyOf(request));
      }
    }
    return keys;
  });
  return spec;
}

}  // namespace

base::Status AddToManager(kube::Manager& manager, Options options) {
  const kube::Runtime runtime = manager.runtime();
  auto reconciler = std::make_unique<BindReconciler>(runtime, std::move(options));
  COPPICE_TRY(reconciler->Prepare());
  Binder& binder = reconciler->binder();
  const Options& used = reconciler->options();
  kube::ControllerSpec spec = RequestSpec(runtime.cache.InformerFor(api::kBindRequests), used);
  kube::ControllerSpec groups = GroupSpec(used);
  manager.AddController(std::move(spec), std::move(reconciler));
  manager.AddController(std::move(groups), std::make_unique<GroupReconciler>(binder));
  manager.OnStart([&binder] { binder.reservation().SyncAll(); });
  return {};
}

}  // namespace coppice::services::binder
