#include "api/well_known.h"
#include "backends/gangs/gang_builder.h"
#include "kube/object.h"
#include "operator/common/names.h"
#include "operator/common/scaled_out.h"
#include "operator/podcliqueset/reconciler.h"
#include "operator/runtime/changes.h"
#include "operator/runtime/labels.h"
#include "operator/topology/condition.h"

// The watches of the PodCliqueSet controller.
namespace coppice::operators::podcliqueset {
namespace {

bool SetChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return GenerationChanged(change) || DeletionChanged(change) || LabelsChanged(change) ||
         AnnotationsChanged(change);
}

// Changes of a child that affect the set's status or start one of its steps.
bool ChildChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return GenerationChanged(change) || DeletionChanged(change) || StatusChanged(change);
}

// The set only cares about pods as references of its gangs.
bool PodAddedOrRemoved(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return DeletionChanged(change);
}

// It may be the last pod that its gang waits for.
bool PodAppeared(const kube::Change& change) { return change.type == kube::ChangeType::kAdded; }

bool UpdatedOrDeleted(const kube::Change& change) {
  return change.type != kube::ChangeType::kAdded;
}

// Drift of objects that only the set's controller writes.
bool SpecOrMetadataChanged(const kube::Change& change) {
  if (change.type == kube::ChangeType::kAdded) return false;
  if (change.type == kube::ChangeType::kDeleted) return true;
  return GenerationChanged(change) || LabelsChanged(change) || AnnotationsChanged(change);
}

// The replica that a changed object belongs to; nullopt if it concerns the whole set. Gangs may
// lack the label.
std::optional<int> ReplicaOf(const json::Value& object, std::string_view set) {
  const std::string_view kind = kube::Kind(object);
  if (kind == api::kPodCliqueSets.kind || kind == api::kClusterTopologyBindings.kind) {
    return std::nullopt;
  }
  if (kind == api::kPodGangs.kind) return backends::ReplicaOfGang(set, kube::Name(object));
  return names::IndexLabel(object, labels::kSetReplica);
}

std::vector<api::ObjectKey> SetOfPart(const json::Value& object) {
  if (kube::Label(object, labels::kManagedBy) != labels::kOperator) return {};
  const std::string set(kube::Label(object, labels::kPartOf));
  if (set.empty()) return {};
  return {{std::string(kube::Namespace(object)), set}};
}

std::vector<api::ObjectKey> SetsOfTopology(const Context& context, const json::Value& binding) {
  std::vector<api::ObjectKey> keys;
  for (json::Value& object : context.sets.List()) {
    const auto set = api::grove::ReadPodCliqueSet(std::move(object));
    if (topology::TopologyName(set.spec.template_) == kube::Name(binding)) {
      keys.push_back({set.ns(), set.name()});
    }
  }
  return keys;
}

}  // namespace

void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context) {
  const auto dirty = std::make_shared<DirtyReplicas>();
  kube::ControllerSpec spec{.name = kControllerName, .workers = context->config.set_workers};
  spec.before_enqueue = [dirty](const api::ObjectKey& set, const json::Value& cause) {
    dirty->MarkDirty(set, ReplicaOf(cause, set.name));
  };
  spec.For(api::kPodCliqueSets, SetChanged)
      .WithPriority(kube::Priority::kHighest, IsNewOrScaledOut)
      .Watches(api::kPodCliques, SetOfPart, ChildChanged)
      .Watches(api::kPodCliqueScalingGroups, SetOfPart, ChildChanged)
      .Watches(api::kPods, SetOfPart, PodAddedOrRemoved)
      .WithPriority(kube::Priority::kHigh, PodAppeared)
      .Watches(api::kPodGangs, SetOfPart, SpecOrMetadataChanged)
      .Watches(api::kServices, SetOfPart, UpdatedOrDeleted)
      .Watches(api::kServiceAccounts, SetOfPart, UpdatedOrDeleted)
      .Watches(api::kRoles, SetOfPart, UpdatedOrDeleted)
      .Watches(api::kRoleBindings, SetOfPart, UpdatedOrDeleted)
      .Watches(api::kSecrets, SetOfPart, UpdatedOrDeleted)
      .Watches(api::kHorizontalPodAutoscalers, SetOfPart, SpecOrMetadataChanged)
      .Watches(api::kClusterTopologyBindings,
               [context](const json::Value& binding) { return SetsOfTopology(*context, binding); });
  manager.AddController(std::move(spec), std::make_unique<SetReconciler>(context, dirty));
}

}  // namespace coppice::operators::podcliqueset
