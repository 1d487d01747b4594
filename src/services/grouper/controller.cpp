#include "services/grouper/controller.h"

#include <map>
#include <mutex>
#include <utility>

#include "api/edit/core.h"
#include "api/foreign/names.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/events/events.h"
#include "kube/executor/priority.h"
#include "kube/object.h"
#include "services/admission/gpu_sharing.h"
#include "services/common/label_pairs.h"
#include "services/common/names.h"
#include "services/grouper/cluster_lookup.h"
#include "services/grouper/groups/merge.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/owner_walk.h"

namespace coppice::services::grouper {
namespace {

using view::core::Pod;

bool HasGroup(Pod pod) { return pod.metadata().annotations().Has(names::kPodGroupAnnotation); }

bool IsSkipped(const json::Value& object) {
  return kube::Annotation(object, names::kSkipGrouper) == "true";
}

// Whether two maps differ, leaving out `key` where only the newer one has it.
bool DifferBeyond(const json::Value& now, const json::Value& before, std::string_view key) {
  if (now == before) return false;
  if (before.Has(key) || !now.Has(key)) return true;
  json::Value rest = now;
  rest.Erase(key);
  return rest.empty() ? !before.empty() : rest != before;
}

// Only groups of a LeaderWorkerSet change when a pod gets its node.
bool SpecDiffers(Pod pod, Pod before) {
  const std::string_view node = pod.spec().nodeName();
  if (node == before.spec().nodeName() ||
      pod.metadata().labels().Has(api::foreign::kLeaderWorkerSetWorkerIndex)) {
    return pod.spec() != before.spec();
  }
  json::Value spec = before.spec().Json();
  edit::core::PodSpec(spec).set_nodeName(node);
  return pod.spec().Json() != spec;
}

// What we write into the pod ourselves, conditions and container states have no part in its group.
bool MayChangeGroup(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  const Pod pod(change.object), old_pod(change.old_object);
  const view::meta::ObjectMeta now = pod.metadata(), before = old_pod.metadata();
  return DifferBeyond(now.annotations().Json(), before.annotations().Json(),
                      names::kPodGroupAnnotation) ||
         DifferBeyond(now.labels().Json(), before.labels().Json(), names::kSubGroupLabel) ||
         now.ownerReferences().Json() != before.ownerReferences().Json() ||
         now.deletionTimestamp() != before.deletionTimestamp() || SpecDiffers(pod, old_pod);
}

class PodReconciler final : public kube::Reconciler {
 public:
  PodReconciler(kube::Runtime runtime, Options options)
      : runtime_(runtime),
        options_(std::move(options)),
        namespace_labels_(ParseLabelPairs(options_.namespace_label_selector)),
        pods_(runtime.cache.InformerFor(api::kPods)),
        groups_(runtime.cache.InformerFor(api::kPodGroups)),
        lookup_(runtime) {}

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    const std::optional<json::Value> pod = pods_.Get(key);
    if (!pod || !IsOurs(*pod)) {
      told_.Forget(key);
      return kube::Requeue::Done();
    }
    std::optional<kube::PriorityScope> grouping;
    if (!HasGroup(Pod(*pod))) {
      grouping.emplace(runtime_.priorities, kube::Priority::kHighest);
      TellOfUnreadableGpus(*pod);
    }
    base::Result<kube::Requeue> result = GroupPod(*pod);
    if (result) {
      told_.Forget(key);
    } else {
      Warn(*pod, "PodGrouperWarning", result.error().message());
    }
    return result;
  }

 private:
  // Where admission did not refuse it, the pod is scheduled as if it asked for no such GPU.
  void TellOfUnreadableGpus(const json::Value& pod) {
    const base::Status readable = admission::ValidateGpuSharing(pod, true);
    if (readable) return;
    Warn(pod, "InvalidGpuRequest", readable.error().message());
  }

  // Warnings already emitted per pod: a failing pod is retried, but warned about once per message.
  class Told {
   public:
    bool IsNew(const api::ObjectKey& pod, const char* reason, const std::string& message) {
      std::lock_guard lock(mutex_);
      return std::exchange(messages_[pod][reason], message) != message;
    }
    void Forget(const api::ObjectKey& pod) {
      std::lock_guard lock(mutex_);
      messages_.erase(pod);
    }

   private:
    std::mutex mutex_;  // Guards messages_.
    std::map<api::ObjectKey, std::map<std::string, std::string>> messages_;
  };

  void Warn(const json::Value& pod, const char* reason, const std::string& message) {
    if (!told_.IsNew(kube::KeyOf(pod), reason, message)) return;
    runtime_.events.Event(pod, "Warning", reason, message, kControllerName);
  }

  bool IsOurs(const json::Value& pod) const {
    const Pod view(pod);
    if (view.spec().schedulerName() != options_.scheduler_name) return false;
    if (IsSkipped(pod) || !NamespaceSelected(pod)) return false;
    // A pod without owner that has a group got it from someone else.
    return !HasGroup(view) || !view.metadata().ownerReferences().empty();
  }

  bool NamespaceSelected(const json::Value& pod) const {
    if (namespace_labels_.empty()) return true;
    const auto ns =
        runtime_.cache.InformerFor(api::kNamespaces).Get({"", std::string(kube::Namespace(pod))});
    return ns && HasLabelPairs(*ns, namespace_labels_);
  }

  base::Result<kube::Requeue> GroupPod(const json::Value& pod) {
    base::Result<Workload> workload = ResolveOwners(lookup_, pod);
    if (!workload) {
      if (kube::IsDeleting(pod)) return kube::Requeue::Done();
      return workload.error();
    }
    for (const json::Value& owner : workload->owners) {
      if (IsSkipped(owner)) return kube::Requeue::Done();
    }
    const TypeDefaults defaults = ReadDefaults();
    COPPICE_ASSIGN(Metadata metadata, Group({options_, defaults, lookup_}, *workload));
    PropagateNodePool(pod, metadata);
    const base::Status applied = ApplyPodGroup(ToPodGroup(metadata));
    if (applied.Is(base::ErrorCode::kConflict)) return kube::Requeue::After({});
    COPPICE_TRY(applied);
    COPPICE_TRY(AssignPod(pod, metadata));
    return kube::Requeue::Done();
  }

  TypeDefaults ReadDefaults() {
    const std::string& name = options_.defaults_config_map;
    const std::string& ns = options_.defaults_config_map_namespace;
    if (name.empty() || ns.empty()) return {};
    const base::Result<json::Value> map = lookup_.Get("v1", "ConfigMap", ns, name);
    if (!map) return {};
    return TypeDefaults::Parse(view::core::ConfigMap(*map).data()[TypeDefaults::kDataKey]);
  }

  void PropagateNodePool(const json::Value& pod, Metadata& metadata) const {
    const std::string& key = options_.node_pool_label_key;
    if (key.empty()) return;
    if (const auto pool = FindLabel(pod, key)) metadata.labels.emplace(key, *pool);
  }

  base::Status ApplyPodGroup(const json::Value& computed) {
    std::optional<json::Value> stored = groups_.Get(kube::KeyOf(computed));
    if (!stored) {
      const auto created = runtime_.client.Create(api::kPodGroups, computed);
      if (!created.Is(base::ErrorCode::kAlreadyExists)) {
        return created ? base::Status() : created.error();
      }
      COPPICE_ASSIGN(stored, runtime_.client.Get(api::kPodGroups, kube::KeyOf(computed)));
    }
    const std::optional<json::Value> merged = MergePodGroup(options_, *stored, computed);
    if (!merged) return {};
    COPPICE_TRY(runtime_.client.Update(api::kPodGroups, *merged));
    return {};
  }

  base::Status AssignPod(const json::Value& pod, const Metadata& metadata) {
    const SubGroup* sub_group =
        metadata.ns == kube::Namespace(pod) ? metadata.SubGroupOfPod(kube::Name(pod)) : nullptr;
    const std::string_view group = kube::Annotation(pod, names::kPodGroupAnnotation);
    const std::string_view label = kube::Label(pod, names::kSubGroupLabel);
    if (group == metadata.name && (!sub_group || label == sub_group->name)) return {};
    json::Value patch = json::Value::Object();
    const edit::meta::ObjectMeta edit = edit::core::Pod(patch).metadata();
    edit.annotations().Set(names::kPodGroupAnnotation, metadata.name);
    if (sub_group) edit.labels().Set(names::kSubGroupLabel, sub_group->name);
    COPPICE_TRY(
        runtime_.client.Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kMerge, patch));
    return {};
  }

  kube::Runtime runtime_;
  const Options options_;
  const LabelPairs namespace_labels_;
  kube::Informer& pods_;
  kube::Informer& groups_;
  ClusterLookup lookup_;
  Told told_;
};

}  // namespace

void AddToManager(kube::Manager& manager, Options options) {
  const LabelPairs pod_labels = ParseLabelPairs(options.pod_label_selector);
  const std::string scheduler = options.scheduler_name;
  kube::ControllerSpec spec{.name = std::string(kControllerName), .workers = options.workers};
  spec.For(api::kPods, [=](const kube::Change& change) {
    return change.type != kube::ChangeType::kDeleted &&
           Pod(change.object).spec().schedulerName() == scheduler &&
           HasLabelPairs(change.object, pod_labels) && MayChangeGroup(change);
  });
  // Nothing is decided about a pod before it has its group.
  spec.WithPriority(kube::Priority::kHighest,
                    [](const kube::Change& change) { return !HasGroup(Pod(change.object)); });
  if (!options.namespace_label_selector.empty()) {
    manager.runtime().cache.InformerFor(api::kNamespaces);
  }
  manager.AddController(std::move(spec),
                        std::make_unique<PodReconciler>(manager.runtime(), std::move(options)));
}

}  // namespace coppice::services::grouper
