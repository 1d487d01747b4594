#include "sim/node_agent.h"

#include <fmt/format.h>

#include <charconv>

#include "api/edit/core.h"
#include "api/key/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "sim/echo_filter.h"
#include "sim/node_failure.h"
#include "sim/pod_lifecycle.h"
#include "sim/simulated_node.h"
#include "sim/startup_order.h"

namespace coppice::sim {
namespace {

using base::ErrorCode;
using json::Value;
using kube::Requeue;

constexpr std::string_view kNodeIndex = "sim-node-name";
constexpr std::string_view kReservationLabel = "kai-resource-reservation";
constexpr std::string_view kGpuIdAnnotation = services::names::kReservedGpu;

constexpr base::Duration kRetryAfterConflict = std::chrono::milliseconds(50);

std::string_view BoundTo(const Value& pod) { return view::core::Pod(pod).spec().nodeName(); }

// An object that no longer exists needs nothing.
base::Status IgnoreGone(base::Status status) {
  if (status.Is(ErrorCode::kNotFound)) return {};
  return status;
}

// On a conflict, reconcile again when the cache has caught up.
base::Result<Requeue> RetryStale(base::Result<Requeue> result) {
  if (result.Is(ErrorCode::kConflict)) return Requeue::After(kRetryAfterConflict);
  return result;
}

template <typename T>
base::Status Discard(const base::Result<T>& result) {
  if (!result) return result.error();
  return {};
}

using Conditions = view::List<view::core::PodCondition>;

const Value* FindCondition(Conditions conditions, std::string_view type) {
  for (const view::core::PodCondition condition : conditions) {
    if (condition.type() == type) return &condition.Json();
  }
  return nullptr;
}

// The conditions in `after` that are not in `before`: the patch merges conditions one by one.
Value ChangedConditions(Conditions before, Conditions after) {
  Value changed = Value::Array();
  for (const view::core::PodCondition condition : after) {
    const Value* old = FindCondition(before, condition.type());
    if (old && *old == condition.Json()) continue;
    Value change = condition.Json();
    if (old) {
      for (const json::Member& member : old->Members()) change.SetDefault(member.name(), nullptr);
    }
    changed.Append(std::move(change));
  }
  return changed;
}

// A strategic merge patch from one status to the other, which has at least the same fields.
Value StatusChange(const Value& before, const Value& after) {
  Value change = Value::Object();
  for (const json::Member& member : after.Members()) {
    const Value* old = before.Find(member.name());
    if (old && *old == member.value) continue;
    const bool merge = old && member.name() == key::core::PodStatus::conditions;
    change.Set(member.name(), merge ? ChangedConditions(Conditions(*old), Conditions(member.value))
                                    : member.value);
  }
  return change;
}

// A GPU id in NVIDIA's format, stable for each pod.
std::string SimulatedGpuId(const Value& pod) {
  const uint64_t a = std::hash<std::string_view>()(kube::Uid(pod));
  const uint64_t b = std::hash<std::string_view>()(kube::Name(pod)) ^ (a * 31);
  return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xffff,
                     a & 0xffff, b >> 48, b & 0xffffffffffff);
}

class PodAgent final : public kube::Reconciler {
 public:
  PodAgent(kube::Runtime runtime, std::shared_ptr<EchoFilter> echoes)
      : client_(runtime.client),
        executor_(runtime.executor),
        pods_(runtime.cache.InformerFor(api::kPods)),
        nodes_(runtime.cache.InformerFor(api::kNodes)),
        order_(pods_),
        echoes_(std::move(echoes)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const std::optional<Value> pod = pods_.Get(key);
    if (!pod || BoundTo(*pod).empty()) return Requeue::Done();
    const auto node = nodes_.Get({"", std::string(BoundTo(*pod))});
    if (!node) return RetryStale(RemoveOrphan(*pod));
    if (!IsSimulated(*node)) return Requeue::Done();
    if (IsFailed(*node)) return RetryStale(OnDeadNode(*pod, *node));
    return RetryStale(Advance(*pod));
  }

 private:
  base::Result<Requeue> Advance(const Value& pod) {
    const PodStep step = AdvancePod(
        pod, executor_.Now(),
        [this](const Value& p, const Value& container) { return order_.MayFinish(p, container); });
    if (step.remove) return Remove(pod);
    if (step.status) COPPICE_TRY(IgnoreGone(WriteStatus(pod, *step.status)));
    COPPICE_TRY(IgnoreGone(ReportGpu(pod)));
    return step.again ? Requeue::After(*step.again) : Requeue::Done();
  }

  base::Result<Requeue> OnDeadNode(const Value& pod, const Value& node) {
    const auto [status, evict_after] = PodOnDeadNode(pod, node, executor_.Now());
    if (status) COPPICE_TRY(IgnoreGone(WriteStatus(pod, *status)));
    if (!evict_after || kube::IsDeleting(pod)) return Requeue::Done();
    if (*evict_after > base::Duration::zero()) return Requeue::After(*evict_after);
    COPPICE_TRY(IgnoreGone(client_.Delete(api::kPods, kube::KeyOf(pod), Only(pod))));
    return Requeue::Done();
  }

  base::Result<Requeue> RemoveOrphan(const Value& pod) {
    if (!nodes_.Synced()) return Requeue::Done();
    return Remove(pod);
  }

  base::Result<Requeue> Remove(const Value& pod) {
    kube::DeleteOptions options = Only(pod);
    options.grace_period_seconds = 0;
    COPPICE_TRY(IgnoreGone(client_.Delete(api::kPods, kube::KeyOf(pod), options)));
    return Requeue::Done();
  }

  static kube::DeleteOptions Only(const Value& pod) { return {.uid = std::string(kube::Uid(pod))}; }

  // Patches only what changed, like a kubelet: others write their own conditions at the same time.
  base::Status WriteStatus(const Value& pod, const Value& status) {
    Value patch = Value::Object();
    const edit::core::Pod edit(patch);
    edit.metadata().set_uid(kube::Uid(pod));
    edit.set_status(StatusChange(view::core::Pod(pod).status().Json(), status));
    COPPICE_ASSIGN(const Value written,
                   client_.Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kStrategic, patch,
                                 {.subresource = "status", .field_manager = "kubelet"}));
    echoes_->Note(pod, written);
    return {};
  }

  base::Status ReportGpu(const Value& pod) {
    if (kube::Label(pod, "app") != kReservationLabel ||
        !kube::Annotation(pod, kGpuIdAnnotation).empty()) {
      return {};
    }
    Value patch = Value::Object();
    edit::core::Pod(patch).metadata().annotations().Set(kGpuIdAnnotation, SimulatedGpuId(pod));
    return Discard(client_.Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kMerge, patch, {}));
  }

  kube::Client& client_;
  kube::Executor& executor_;
  kube::Informer& pods_;
  kube::Informer& nodes_;
  StartupOrder order_;
  const std::shared_ptr<EchoFilter> echoes_;  // Shared with the controller's event source.
};

// Keeps a node's Ready condition and taints in sync with its fail annotation.
class NodeHealth final : public kube::Reconciler {
 public:
  explicit NodeHealth(kube::Runtime runtime)
      : client_(runtime.client),
        executor_(runtime.executor),
        nodes_(runtime.cache.InformerFor(api::kNodes)) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const std::optional<Value> node = nodes_.Get(key);
    return node && IsSimulated(*node) ? RetryStale(Update(key, *node)) : Requeue::Done();
  }

 private:
  base::Result<Requeue> Update(const api::ObjectKey& key, const Value& node) {
    const NodeUpdate update = DesiredHealth(node, executor_.Now());
    if (update.status_patch) {
      COPPICE_TRY(
          IgnoreGone(Discard(client_.Patch(api::kNodes, key, kube::PatchType::kMerge,
                                           *update.status_patch, {.subresource = "status"}))));
    }
    if (update.spec_patch) {
      COPPICE_TRY(IgnoreGone(Discard(
          client_.Patch(api::kNodes, key, kube::PatchType::kMerge, *update.spec_patch, {}))));
    }
    return Requeue::Done();
  }

  kube::Client& client_;
  kube::Executor& executor_;
  kube::Informer& nodes_;
};

}  // namespace

void AddNodeAgent(kube::Manager& manager, const NodeAgentOptions& options) {
  kube::Runtime runtime = manager.runtime();
  kube::Informer& pods = runtime.cache.InformerFor(api::kPods);
  pods.AddIndex(std::string(kNodeIndex),
                [](const Value& pod) { return std::vector{std::string(BoundTo(pod))}; });
  kube::ControllerSpec pod_spec{.name = "sim-pods", .workers = options.workers};
  const auto echoes = std::make_shared<EchoFilter>();
  pod_spec.For(api::kPods, [echoes](const kube::Change& change) {
    if (change.type == kube::ChangeType::kDeleted) {
      echoes->Forget(kube::KeyOf(change.object));
      return false;
    }
    return !BoundTo(change.object).empty() && !echoes->Arrived(change.object);
  });
  // A node that fails, returns or is deleted affects its pods.
  pod_spec.Watches(
      api::kNodes,
      [&pods](const Value& node) {
        std::vector<api::ObjectKey> keys;
        for (const Value& pod : pods.ByIndex(kNodeIndex, kube::Name(node))) {
          keys.push_back(kube::KeyOf(pod));
        }
        return keys;
      },
      [](const kube::Change& change) {
        return change.type == kube::ChangeType::kDeleted ||
               IsSimulated(change.old_object) != IsSimulated(change.object) ||
               IsFailed(change.old_object) != IsFailed(change.object);
      });
  manager.AddController(std::move(pod_spec), std::make_unique<PodAgent>(runtime, echoes));

  kube::ControllerSpec node_spec{.name = "sim-nodes", .workers = 1};
  node_spec.For(api::kNodes);
  manager.AddController(std::move(node_spec), std::make_unique<NodeHealth>(runtime));
}

}  // namespace coppice::sim
