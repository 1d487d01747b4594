#include <memory>

#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/names.h"
#include "operator/common/resource_claims.h"
#include "operator/common/scaled_out.h"
#include "operator/podclique/reconciler.h"
#include "operator/runtime/changes.h"
#include "operator/runtime/labels.h"

// The watches of the PodClique controller.
namespace coppice::operators::podclique {
namespace {

bool PodChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  const auto before = view::core::Pod(change.old_object).spec();
  const auto after = view::core::Pod(change.object).spec();
  return DeletionChanged(change) || StatusChanged(change) ||
         before.nodeName() != after.nodeName() ||
         before.schedulingGates().Json() != after.schedulingGates().Json();
}

bool CliqueChanged(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  return GenerationChanged(change) || DeletionChanged(change) || LabelsChanged(change);
}

bool SetMoved(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return false;
  return ClaimsMoved(change) || UpdateChanged(change);
}

bool SchedulingMoved(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return false;
  return view::grove::PodClique(change.old_object).status().scheduledReplicas() !=
         view::grove::PodClique(change.object).status().scheduledReplicas();
}

// Whether the gang's pods may now be scheduled.
bool OpensGates(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return change.type == kube::ChangeType::kAdded;
  return GenerationChanged(change) ||
         kube::Condition(change.old_object, api::grove::kGangBackendSynced) !=
             kube::Condition(change.object, api::grove::kGangBackendSynced);
}

api::ObjectKey KeyIn(const json::Value& object, std::string_view name) {
  return {std::string(kube::Namespace(object)), std::string(name)};
}

std::vector<api::ObjectKey> CliquesOfSet(const Context& context, const json::Value& set) {
  std::vector<api::ObjectKey> keys;
  for (const json::Value& clique :
       context.PartOf(context.cliques, kube::Namespace(set), kube::Name(set))) {
    keys.push_back(kube::KeyOf(clique));
  }
  return keys;
}

// Scaled gangs wait for their base gang.
void AddWaitingFor(const Context& context, const json::Value& object, std::string_view base_gang,
                   std::vector<api::ObjectKey>& keys) {
  for (const json::Value& clique : context.CliquesAfter(kube::Namespace(object), base_gang)) {
    keys.push_back(kube::KeyOf(clique));
  }
}

std::vector<api::ObjectKey> CliquesOfGang(const Context& context, const json::Value& gang) {
  std::vector<api::ObjectKey> keys;
  for (const view::grove::PodGroup group : view::grove::PodGang(gang).spec().podgroups()) {
    keys.push_back(KeyIn(gang, group.name()));
  }
  AddWaitingFor(context, gang, kube::Name(gang), keys);
  return keys;
}

std::vector<api::ObjectKey> CliquesWaitingFor(const Context& context, const json::Value& clique) {
  std::vector<api::ObjectKey> keys;
  if (kube::Label(clique, labels::kBaseGang).empty()) {
    AddWaitingFor(context, clique, kube::Label(clique, labels::kPodGang), keys);
  }
  return keys;
}

}  // namespace

void AddController(kube::Manager& manager, const std::shared_ptr<const Context>& context) {
  kube::ControllerSpec spec{.name = kControllerName, .workers = context->config.clique_workers};
  spec.For(api::kPodCliques, CliqueChanged)
      .WithPriority(kube::Priority::kHighest, IsNewOrScaledOut)
      .Owns(api::kPods, "PodClique", PodChanged)
      .Watches(
          api::kPodCliqueSets,
          [context](const json::Value& set) { return CliquesOfSet(*context, set); }, SetMoved)
      .Watches(
          api::kPodCliques,
          [context](const json::Value& clique) { return CliquesWaitingFor(*context, clique); },
          SchedulingMoved)
      .Watches(api::kPodGangs,
               [context](const json::Value& gang) { return CliquesOfGang(*context, gang); })
      .WithPriority(kube::Priority::kHigh, OpensGates);
  manager.AddController(std::move(spec), std::make_unique<CliqueReconciler>(context));
}

}  // namespace coppice::operators::podclique
