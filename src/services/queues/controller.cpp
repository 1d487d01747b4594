#include "services/queues/controller.h"

#include <map>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/resource_map.h"
#include "services/queues/metrics.h"

namespace coppice::services::queues {
namespace {

constexpr const char* kByParent = "parent-queue";
constexpr const char* kByQueue = "queue";
// Adding up the groups of a large queue after each change of one of them would take a core: such a
// queue is added up this often at most.
constexpr size_t kManyGroups = 256;
constexpr base::Duration kLargeQueueInterval = std::chrono::milliseconds(200);

std::vector<std::string> Nonempty(std::string text) {
  if (text.empty()) return {};
  return {std::move(text)};
}

std::vector<api::ObjectKey> QueueKey(const json::Value& name) {
  if (name.AsString().empty()) return {};
  return {api::ObjectKey{"", name.ToString()}};
}

struct Sums {
  ResourceMap allocated, allocated_non_preemptible, requested;

  base::Status Add(const json::Value& status) {
    COPPICE_TRY(AddOne(status["allocated"], allocated));
    COPPICE_TRY(AddOne(status["allocatedNonPreemptible"], allocated_non_preemptible));
    return AddOne(status["requested"], requested);
  }

  static base::Status AddOne(const json::Value& list, ResourceMap& sum) {
    COPPICE_ASSIGN(const ResourceMap amounts, ResourceMap::Read(list));
    sum.Add(amounts);
    return {};
  }
};

class QueueReconciler final : public kube::Reconciler {
 public:
  QueueReconciler(kube::Runtime runtime, Options options)
      : runtime_(runtime),
        queues_(runtime.cache.InformerFor(api::kQueues)),
        groups_(runtime.cache.InformerFor(api::kPodGroups)),
        metrics_(runtime.metrics, std::move(options)) {
    queues_.AddIndex(kByParent, [](const json::Value& queue) {
      return Nonempty(queue["spec"]["parentQueue"].ToString());
    });
    groups_.AddIndex(kByQueue, [](const json::Value& group) {
      return Nonempty(group["spec"]["queue"].ToString());
    });
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
    Sums sums;
    json::Value children = json::Value::Array();
    for (const json::Value& child : queues_.ByIndex(kByParent, name)) {
      COPPICE_TRY(sums.Add(child["status"]));
      children.Append(kube::Name(child));
    }
    const std::vector<json::Value> groups = groups_.ByIndex(kByQueue, name);
    for (const json::Value& group : groups) {
      COPPICE_TRY(sums.Add(group["status"]["resourcesStatus"]));
    }
    if (groups.size() > kManyGroups) {
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
  kube::Informer& groups_;
  QueueMetrics metrics_;
  std::map<std::string, base::Time> not_before_;  // Of large queues; one worker touches it.
};

}  // namespace

void AddToManager(kube::Manager& manager, Options options) {
  kube::ControllerSpec spec{.name = std::string(kControllerName), .workers = 1};
  spec.For(api::kQueues);
  spec.Watches(api::kQueues,
               [](const json::Value& queue) { return QueueKey(queue["spec"]["parentQueue"]); });
  spec.Watches(api::kPodGroups,
               [](const json::Value& group) { return QueueKey(group["spec"]["queue"]); });
  manager.AddController(std::move(spec),
                        std::make_unique<QueueReconciler>(manager.runtime(), std::move(options)));
}

}  // namespace coppice::services::queues
