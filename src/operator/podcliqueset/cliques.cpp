#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/clique_builder.h"
#include "operator/common/names.h"
#include "operator/podcliqueset/components.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueTemplate;

StepOutcome SyncOne(const Context& context, const PodCliqueSet& set, int replica,
                    const PodCliqueTemplate& clique) {
  const std::string name = names::StandaloneClique(set.name(), replica, clique.name);
  const auto existing = context.cliques.Get({set.ns(), name});
  // It must be gone before its replacement can be created.
  if (existing && kube::IsDeleting(*existing)) return StepOutcome::Done();
  const json::Value desired =
      BuildPodClique(context.config, set, replica, clique, std::nullopt, existing);
  const auto written = context.CreateOrPatch(api::kPodCliques, existing, desired);
  if (written.Is(base::ErrorCode::kAlreadyExists)) {
    return StepOutcome::ContinueAndRequeue("PodClique " + name + " is not in the cache yet");
  }
  if (!written) {
    if (!IsStaleWrite(written.error())) {
      context.Event(set.object, "Warning", "PodCliqueCreateOrUpdateFailed",
                    fmt::format("PodClique {}/{} creation or updation failed: {}", set.ns(), name,
                                written.error().message()));
    }
    return StepOutcome::Failed("ERR_CREATE_OR_UPDATE_PODCLIQUE", "Sync", written.error());
  }
  if (written->written != kube::Written::kNothing) {
    context.Event(set.object, "Normal", "PodCliqueCreateOrUpdateSuccessful",
                  fmt::format("PodClique {}/{} created or updated successfully", set.ns(), name));
  }
  return StepOutcome::Done();
}

}  // namespace

StepOutcome DeleteSurplusCliques(const Context& context, const PodCliqueSet& set) {
  StepOutcome outcome = StepOutcome::Done();
  for (const json::Value& clique : context.OwnedBy(context.cliques, set.uid())) {
    const auto index = names::IndexLabel(clique, labels::kSetReplica);
    if ((index && *index < set.spec.replicas) || kube::IsDeleting(clique)) continue;
    const base::Status deleted = kube::DeleteObject(context.client(), api::kPodCliques, clique);
    if (!deleted) {
      context.Event(set.object, "Warning", "PodCliqueDeleteFailed",
                    fmt::format("Error deleting PodClique {}/{}: {}", set.ns(), kube::Name(clique),
                                deleted.error().message()));
      outcome.Merge(StepOutcome::Failed("ERR_DELETE_PODCLIQUE", "Sync", deleted.error()));
      continue;
    }
    context.Event(set.object, "Normal", "PodCliqueDeleteSuccessful",
                  fmt::format("Deleted PodClique: {}", kube::Name(clique)));
  }
  return outcome;
}

StepOutcome SyncStandaloneCliques(const Context& context, const PodCliqueSet& set, int replica) {
  StepOutcome outcome = StepOutcome::Done();
  for (const PodCliqueTemplate& clique : set.spec.template_.cliques) {
    if (set.spec.template_.GroupOf(clique.name) != nullptr) continue;
    outcome.Merge(SyncOne(context, set, replica, clique));
  }
  return outcome;
}

}  // namespace coppice::operators::podcliqueset
