#include "operator/scalinggroup/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/clique_builder.h"
#include "operator/common/names.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/parallel.h"

namespace coppice::operators::scalinggroup {
namespace {

StepOutcome Report(const Pass& pass, const std::string& name,
                   const base::Result<kube::Applied>& written) {
  const bool in_place = !pass.set.spec.UpdatesByItself();
  const char* what = in_place ? "PodCliqueCreateOrUpdate" : "PodCliqueCreate";
  if (!written) {
    if (written.Is(base::ErrorCode::kAlreadyExists)) {
      return StepOutcome::ContinueAndRequeue("PodClique " + name + " exists already");
    }
    pass.context.Event(
        pass.group.object, "Warning", fmt::format("{}Failed", what),
        fmt::format("PodClique {}/{} {} failed: {}", pass.group.ns(), name,
                    in_place ? "creation or update" : "creation", written.error().message()));
    return StepOutcome::Failed(
        in_place ? "ERR_CREATE_OR_UPDATE_PODCLIQUES" : "ERR_CREATE_PODCLIQUES", "Sync",
        written.error());
  }
  if (written->written != kube::Written::kNothing) {
    pass.context.Event(pass.group.object, "Normal", fmt::format("{}Successful", what),
                       fmt::format("PodClique {}/{} {} successfully", pass.group.ns(), name,
                                   in_place ? "created or updated" : "created"));
  }
  return StepOutcome::Done();
}

StepOutcome SyncMember(const Pass& pass, int replica, const std::string& clique_name) {
  const std::string name = pass.MemberName(replica, clique_name);
  const auto existing = pass.context.cliques.Get({pass.group.ns(), name});
  const bool in_place = !pass.set.spec.UpdatesByItself();
  if (existing && (!in_place || kube::IsDeleting(*existing))) return StepOutcome::Done();
  const auto* clique = pass.set.spec.template_.FindClique(clique_name);
  if (clique == nullptr) {
    return StepOutcome::Failed("ERR_MISSING_PODCLIQUE_TEMPLATE", "Sync",
                               base::NotFound("no clique template " + clique_name));
  }
  const MemberOf member{pass.group.object, pass.config, replica};
  const json::Value desired =
      BuildPodClique(pass.context.config, pass.set, pass.set_replica(), *clique, member, existing);
  return Report(pass, name, pass.context.CreateOrPatch(api::kPodCliques, existing, desired));
}

}  // namespace

StepOutcome ScaleIn(Pass& pass) {
  std::set<int> surplus;
  for (const auto& [name, clique] : pass.cliques) {
    const int replica = ReplicaOf(clique);
    if (replica < 0 || replica >= pass.group.spec.replicas) surplus.insert(replica);
  }
  for (const int replica : surplus) {
    OPERATOR_TRY("ERR_DELETE_PODCLIQUE", "Sync", DeleteReplica(pass, replica));
  }
  return StepOutcome::Done();
}

StepOutcome SyncMembers(Pass& pass) {
  const std::vector<std::string>& cliques = pass.group.spec.cliqueNames;
  const auto replicas = static_cast<size_t>(std::max(0, pass.group.spec.replicas));
  return MergeInParallel(
      pass.context.runtime, kube::Priority::kHighest, replicas * cliques.size(), [&](size_t i) {
        return SyncMember(pass, static_cast<int>(i / cliques.size()), cliques[i % cliques.size()]);
      });
}

}  // namespace coppice::operators::scalinggroup
