#include "services/queues/controller.h"

#include <map>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/resource_map.h"
#include "services/queues/group_sums.h"
#include "services/queues/metrics.h"

namespace coppice::services::queues {
namespace {

constexpr const char* kByParent = "parent-queue";
// The groups of a large queue change all the time: its sums are written this often at most.
constexpr size_t kManyGroups = 64;
constexpr base::Duration kLargeQueueInterval = std::chrono::milliseconds(200);

std::vector<std::string> Nonempty(std::string text) {
  if (text.empty()) return {};
  return {std::move(text)};
}

std::vector<api::ObjectKey> QueueKey(const json::Value& name) {
  if (name.AsString().empty()) return {};
  return {api::ObjectKey{"", name.ToString()}};
}

bool ChangesUsage(const kube::Change& change) {
  const json::Value &now = change.object, &before = change.old_object;
  return now["status"]["resourcesStatus"] != before["status"]["resourcesStatus"] ||
         now["spec"]["queue"] != before["spec"]["queue"] ||
         change.type != kube::ChangeType::kUpdated;
}

class QueueReconciler final : public kube::Reconciler {
 public:
  QueueReconciler(kube::Runtime runtime, Options options)
      : runtime_(runtime),
        queues_(runtime.cache.InformerFor(api::kQueues)),
        metrics_(runtime.metrics, std::move(options)) {
    queues_.AddIndex(kByParent, [](const json::Value& queue) {
      return Nonempty(queue["spec"]["parentQueue"].ToString());
    });
    runtime.cache.InformerFor(api::kPodGroups)
        .AddHandler([groups = groups_](const kube::Change& change) { groups->OnChange(change); });
  }

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    std::optional<json::Value> queue = queues_.Get(key);
    if (!queue) {
      metrics_.Remove(key.name);
      not_before_.erase(key.name);
      return kube::Requeue::Done();
    }
    const base::Time now = runtime_.executor.Now();
    if (const auto wait = not_before_.find(key.name);
        wait != not_before_.end() && now < wait->second) {
      return kube::Requeue::After(wait->second - now);
    }
    COPPICE_ASSIGN(const json::Value patch, StatusPatch(*queue));
    if (!patch.IsNull()) {
      auto patched = runtime_.client.Patch(api::kQueues, key, kube::PatchType::kMerge,
                                           json::Value::Object({{"status", patch}}),
                                           {.subresource = "status"});
      if (patched.Is(base::ErrorCode::kNotFound)) return kube::Requeue::Done();
      COPPICE_TRY(patched);
      queue = *patched;
    }
    metrics_.Set(*queue);
    return kube::Requeue::Done();
  }

 private:
  base::Result<json::Value> StatusPatch(const json::Value& queue) {
    const std::string name(kube::Name(queue));
    COPPICE_ASSIGN(GroupSums::Sum groups, groups_->Of(name));
    Usage sums;
    json::Value children = json::Value::Array();
    for (const json::Value& child : queues_.ByIndex(kByParent, name)) {
      COPPICE_ASSIGN(const Usage usage, Usage::Read(child["status"]));
      sums.Add(usage);
      children.Append(kube::Name(child));
    }
    sums.Add(groups.usage);
    if (groups.groups > kManyGroups) {
      not_before_[name] = runtime_.executor.Now() + kLargeQueueInterval;
    }
    const json::Value& status = queue["status"];
    json::Value patch;
    PatchResources(status, "allocated", sums.allocated, patch);
    PatchResources(status, "allocatedNonPreemptible", sums.allocated_non_preemptible, patch);
    PatchResources(status, "requested", sums.requested, patch);
    PatchMember(status, "childQueues", children.empty() ? json::Value() : children, patch);
    return patch;
  }

  kube::Runtime runtime_;
  kube::Informer& queues_;
  // Shared with the handler that feeds it, which may outlive the reconciler.
  const std::shared_ptr<GroupSums> groups_ = std::make_shared<GroupSums>();
  QueueMetrics metrics_;
  std::map<std::string, base::Time> not_before_;  // Of large queues; one worker touches it.
};

}  // namespace

void AddToManager(kube::Manager& manager, Options options) {
  kube::ControllerSpec spec{.name = std::string(kControllerName), .workers = 1};
  spec.For(api::kQueues);
  spec.Watches(api::kQueues,
               [](const json::Value& queue) { return QueueKey(queue["spec"]["parentQueue"]); });
  spec.Watches(
      api::kPodGroups, [](const json::Value& group) { return QueueKey(group["spec"]["queue"]); },
      ChangesUsage);
  manager.AddController(std::move(spec),
                        std::make_unique<QueueReconciler>(manager.runtime(), std::move(options)));
}

}  // namespace coppice::services::queues
