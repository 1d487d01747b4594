#include "api/view/grove.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/resource_claims.h"
#include "operator/common/scaled_out.h"
#include "operator/runtime/changes.h"
#include "operator/runtime/labels.h"
#include "operator/scalinggroup/reconciler.h"

// The watches of the PodCliqueScalingGroup controller.
namespace coppice::operators::scalinggroup {
namespace {

bool GroupChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return GenerationChanged(change) || DeletionChanged(change);
}

bool CliqueChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return GenerationChanged(change) || DeletionChanged(change) || StatusChanged(change) ||
         LabelsChanged(change);
}

bool SetMoved(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return false;
  return ClaimsMoved(change) || UpdateChanged(change) ||
         view::grove::PodCliqueSet(change.old_object).spec().template_() !=
             view::grove::PodCliqueSet(change.object).spec().template_();
}

std::vector<api::ObjectKey> GroupsOfSet(const Context& context, const json::Value& set) {
  std::vector<api::ObjectKey> keys;
  for (const json::Value& group : context.OwnedBy(context.groups, kube::Uid(set))) {
    keys.push_back(kube::KeyOf(group));
  }
  return keys;
}

std::vector<api::ObjectKey> GroupOfClique(const json::Value& clique) {
  const std::string group(kube::Label(clique, labels::kScalingGroup));
  if (group.empty()) return {};
  return {{std::string(kube::Namespace(clique)), group}};
}

}  // namespace

void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context) {
  kube::ControllerSpec spec{.name = kControllerName, .workers = context->config.group_workers};
  spec.For(api::kPodCliqueScalingGroups, GroupChanged)
      .WithPriority(kube::Priority::kHighest, IsNewOrScaledOut)
      .Watches(
          api::kPodCliqueSets,
          [context](const json::Value& set) { return GroupsOfSet(*context, set); }, SetMoved)
      .Watches(api::kPodCliques, GroupOfClique, CliqueChanged);
  manager.AddController(std::move(spec), std::make_unique<GroupReconciler>(context));
}

}  // namespace coppice::operators::scalinggroup
