#include "services/queues/controller.h"

#include "api/key/kai.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "kube/controller/debouncer.h"
#include "kube/object.h"
#include "services/common/resource_map.h"
#include "services/queues/group_sums.h"
#include "services/queues/metrics.h"

namespace coppice::services::queues {
namespace {

constexpr const char* kByParent = "parent-queue";

std::string_view ParentOf(const json::Value& queue) {
  return view::kai::Queue(queue).spec().parentQueue();
}

std::vector<std::string> Nonempty(std::string_view text) {
  if (text.empty()) return {};
  return {std::string(text)};
}

std::vector<api::ObjectKey> QueueKey(std::string_view name) {
  if (name.empty()) return {};
  return {api::ObjectKey{"", std::string(name)}};
}

bool ChangesUsage(const kube::Change& change) {
  const view::kai::PodGroup now(change.object), before(change.old_object);
  return now.status().resourcesStatus() != before.status().resourcesStatus() ||
         now.spec().queue() != before.spec().queue() || change.type != kube::ChangeType::kUpdated;
}

class QueueReconciler final : public kube::Reconciler {
 public:
  QueueReconciler(kube::Runtime runtime, Options options)
      : runtime_(runtime),
        queues_(runtime.cache.InformerFor(api::kQueues)),
        metrics_(runtime.metrics, std::move(options)),
        debouncer_({.priorities = &runtime.priorities, .recheck = std::chrono::milliseconds(100)}) {
    queues_.AddIndex(kByParent, [](const json::Value& queue) { return Nonempty(ParentOf(queue)); });
    runtime.cache.InformerFor(api::kPodGroups)
        .AddHandler([groups = groups_](const kube::Change& change) { groups->OnChange(change); });
  }

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    const base::Duration wait = debouncer_.Delay(key, runtime_.executor.Elapsed());
    if (wait > base::Duration::zero()) return kube::Requeue::After(wait);
    std::optional<json::Value> queue = queues_.Get(key);
    if (!queue) {
      metrics_.Remove(key.name);
      return kube::Requeue::Done();
    }
    const json::Value patch = StatusPatch(*queue);
    if (!patch.IsNull()) {
      auto patched = Write(key, json::Value::Object({{key::kai::Queue::status, patch}}));
      if (patched.Is(base::ErrorCode::kNotFound)) return kube::Requeue::Done();
      COPPICE_TRY(patched);
      queue = *patched;
    }
    metrics_.Set(*queue);
    return kube::Requeue::Done();
  }

 private:
  json::Value StatusPatch(const json::Value& queue) {
    const std::string name(kube::Name(queue));
    Usage sums;
    json::Value children = json::Value::Array();
    for (const json::Value& child : queues_.ByIndex(kByParent, name)) {
      // A status that cannot be parsed is rewritten by its own reconcile.
      if (const auto usage = Usage::Read(view::kai::Queue(child).status())) sums.Add(*usage);
      children.Append(kube::Name(child));
    }
    sums.Add(groups_->Of(name));
    using Key = key::kai::QueueStatus;
    const json::Value& status = view::kai::Queue(queue).status().Json();
    json::Value patch;
    PatchResources(status, Key::allocated, sums.allocated, patch);
    PatchResources(status, Key::allocatedNonPreemptible, sums.allocated_non_preemptible, patch);
    PatchResources(status, Key::requested, sums.requested, patch);
    PatchMember(status, Key::childQueues, children.empty() ? json::Value() : children, patch);
    return patch;
  }

  base::Result<json::Value> Write(const api::ObjectKey& key, const json::Value& patch) {
    const base::Instant begun = runtime_.executor.Elapsed();
    auto patched = runtime_.client.Patch(api::kQueues, key, kube::PatchType::kMerge, patch,
                                         {.subresource = "status"});
    debouncer_.Wrote(runtime_.executor.Elapsed() - begun);
    return patched;
  }

  kube::Runtime runtime_;
  kube::Informer& queues_;
  // Shared with the handler that feeds it, which may outlive the reconciler.
  const std::shared_ptr<GroupSums> groups_ = std::make_shared<GroupSums>();
  QueueMetrics metrics_;
  kube::Debouncer debouncer_;
};

}  // namespace

void AddToManager(kube::Manager& manager, Options options) {
  kube::ControllerSpec spec{.name = std::string(kControllerName), .workers = 1};
  spec.For(api::kQueues);
  spec.Watches(api::kQueues, [](const json::Value& queue) { return QueueKey(ParentOf(queue)); });
  spec.Watches(
      api::kPodGroups,
      [](const json::Value& group) { return QueueKey(view::kai::PodGroup(group).spec().queue()); },
      ChangesUsage);
  manager.AddController(std::move(spec),
                        std::make_unique<QueueReconciler>(manager.runtime(), std::move(options)));
}

}  // namespace coppice::services::queues
