#include "api/well_known.h"
#include "backends/gangs/gang_builder.h"
#include "kube/object.h"
#include "operator/common/growth.h"
#include "operator/common/names.h"
#include "operator/podcliqueset/reconciler.h"
#include "operator/runtime/changes.h"
#include "operator/runtime/labels.h"
#include "operator/topology/condition.h"

// What wakes the PodCliqueSet controller.
namespace coppice::operators::podcliqueset {
namespace {

bool SetChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return GenerationChanged(change) || DeletionChanged(change) || LabelsChanged(change) ||
         AnnotationsChanged(change);
}

// Changes of a child that show in the set's status, or that start one of its steps.
bool ChildChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return GenerationChanged(change) || DeletionChanged(change) || StatusChanged(change);
}

// Pods matter to the set as references of its gangs.
bool PodAppearedOrLeft(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return DeletionChanged(change);
}

// Perhaps the last one that its gang waits for.
bool PodAppeared(const kube::Change& change) { return change.type == kube::ChangeType::kAdded; }

bool AppearedOrLeft(const kube::Change& change) { return change.type != kube::ChangeType::kAdded; }

// Drift of what only the set's controller writes.
bool SpecOrMetadataChanged(const kube::Change& change) {
  if (change.type == kube::ChangeType::kAdded) return false;
  if (change.type == kube::ChangeType::kDeleted) return true;
  return GenerationChanged(change) || LabelsChanged(change) || AnnotationsChanged(change);
}

// The replica that an object is part of; nullopt for what belongs to the set as a whole. Gangs may
// come without the label.
std::optional<int> ReplicaOf(const json::Value& object, std::string_view set) {
  if (kube::Kind(object) != api::kPodGangs.kind) {
    return names::IndexLabel(object, labels::kSetReplica);
  }
  return backends::ReplicaOfGang(set, kube::Name(object));
}

std::vector<api::ObjectKey> SetOfPart(News& news, const json::Value& object) {
  if (kube::Label(object, labels::kManagedBy) != labels::kOperator) return {};
  const std::string set(kube::Label(object, labels::kPartOf));
  if (set.empty()) return {};
  const api::ObjectKey key{std::string(kube::Namespace(object)), set};
  news.Hear(key, ReplicaOf(object, set));
  return {key};
}

std::vector<api::ObjectKey> SetsOfTopology(const Context& context, News& news,
                                           const json::Value& binding) {
  std::vector<api::ObjectKey> keys;
  for (json::Value& object : context.sets.List()) {
    const auto set = api::grove::ReadPodCliqueSet(std::move(object));
    if (topology::TopologyName(set.spec.template_) == kube::Name(binding)) {
      keys.push_back({set.ns(), set.name()});
      news.Hear(keys.back(), std::nullopt);
    }
  }
  return keys;
}

}  // namespace

void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context) {
  const auto news = std::make_shared<News>();
  const auto itself = [news](const json::Value& set) {
    news->Hear(kube::KeyOf(set), std::nullopt);
    return std::vector{kube::KeyOf(set)};
  };
  const auto part = [news](const json::Value& object) { return SetOfPart(*news, object); };
  kube::ControllerSpec spec{.name = kControllerName, .workers = context->config.set_workers};
  spec.Watches(api::kPodCliqueSets, itself, SetChanged)
      .InTurn(kube::Turn::kFirst, HasGrown)
      .Watches(api::kPodCliques, part, ChildChanged)
      .Watches(api::kPodCliqueScalingGroups, part, ChildChanged)
      .Watches(api::kPods, part, PodAppearedOrLeft)
      .InTurn(kube::Turn::kSoon, PodAppeared)
      .Watches(api::kPodGangs, part, SpecOrMetadataChanged)
      .Watches(api::kServices, part, AppearedOrLeft)
      .Watches(api::kServiceAccounts, part, AppearedOrLeft)
      .Watches(api::kRoles, part, AppearedOrLeft)
      .Watches(api::kRoleBindings, part, AppearedOrLeft)
      .Watches(api::kSecrets, part, AppearedOrLeft)
      .Watches(api::kHorizontalPodAutoscalers, part, SpecOrMetadataChanged)
      .Watches(api::kClusterTopologyBindings, [context, news](const json::Value& binding) {
        return SetsOfTopology(*context, *news, binding);
      });
  manager.AddController(std::move(spec), std::make_unique<SetReconciler>(context, news));
}

}  // namespace coppice::operators::podcliqueset
