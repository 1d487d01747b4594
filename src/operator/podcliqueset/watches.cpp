#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/labels.h"
#include "operator/podcliqueset/reconciler.h"
#include "operator/topology/condition.h"

// What wakes the PodCliqueSet controller.
namespace coppice::operators::podcliqueset {
namespace {

bool SetChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return kube::Generation(change.old_object) != kube::Generation(change.object) ||
         kube::IsDeleting(change.old_object) != kube::IsDeleting(change.object) ||
         change.old_object["metadata"]["labels"] != change.object["metadata"]["labels"] ||
         change.old_object["metadata"]["annotations"] != change.object["metadata"]["annotations"];
}

// Changes of a child that show in the set's status, or that start one of its steps.
bool ChildChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return kube::Generation(change.old_object) != kube::Generation(change.object) ||
         kube::IsDeleting(change.old_object) != kube::IsDeleting(change.object) ||
         change.old_object["status"] != change.object["status"];
}

// Pods matter to the set as references of its gangs.
bool PodAppearedOrLeft(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return kube::IsDeleting(change.old_object) != kube::IsDeleting(change.object);
}

bool AppearedOrLeft(const kube::Change& change) { return change.type != kube::ChangeType::kAdded; }

// Drift of what only the set's controller writes.
bool SpecOrMetadataChanged(const kube::Change& change) {
  if (change.type == kube::ChangeType::kAdded) return false;
  if (change.type == kube::ChangeType::kDeleted) return true;
  return kube::Generation(change.old_object) != kube::Generation(change.object) ||
         change.old_object["metadata"]["labels"] != change.object["metadata"]["labels"] ||
         change.old_object["metadata"]["annotations"] != change.object["metadata"]["annotations"];
}

std::vector<api::ObjectKey> SetOfPart(const json::Value& object) {
  if (kube::Label(object, kManagedByLabel) != kManagedByValue) return {};
  const std::string set(kube::Label(object, kPartOfLabel));
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
  kube::ControllerSpec spec{.name = kControllerName, .workers = context->config.set_workers};
  spec.For(api::kPodCliqueSets, SetChanged)
      .Watches(api::kPodCliques, SetOfPart, ChildChanged)
      .Watches(api::kPodCliqueScalingGroups, SetOfPart, ChildChanged)
      .Watches(api::kPods, SetOfPart, PodAppearedOrLeft)
      .Watches(api::kPodGangs, SetOfPart, SpecOrMetadataChanged)
      .Watches(api::kServices, SetOfPart, AppearedOrLeft)
      .Watches(api::kServiceAccounts, SetOfPart, AppearedOrLeft)
      .Watches(api::kRoles, SetOfPart, AppearedOrLeft)
      .Watches(api::kRoleBindings, SetOfPart, AppearedOrLeft)
      .Watches(api::kSecrets, SetOfPart, AppearedOrLeft)
      .Watches(api::kHorizontalPodAutoscalers, SetOfPart, SpecOrMetadataChanged)
      .Watches(api::kClusterTopologyBindings,
               [context](const json::Value& binding) { return SetsOfTopology(*context, binding); });
  manager.AddController(std::move(spec), std::make_unique<SetReconciler>(context));
}

}  // namespace coppice::operators::podcliqueset
