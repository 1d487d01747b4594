#include "operator/podclique/pass.h"

#include "api/view/grove.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "operator/common/names.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podclique {

bool Pass::standalone() const { return clique.label(labels::kScalingGroup).empty(); }

int Pass::replica() const {
  return names::IndexLabel(clique.object, labels::kSetReplica).value_or(0);
}

bool Pass::surplus() const {
  if (replica() >= set.spec.replicas) return true;
  if (standalone()) return false;
  const auto group = context.groups.Get({clique.ns(), clique.label(labels::kScalingGroup)});
  const auto index = names::IndexLabel(clique.object, labels::kScalingGroupReplica);
  return !group || !index || *index >= view::grove::PodCliqueScalingGroup(*group).spec().replicas();
}

api::grove::PodCliqueStatus StoredStatus(const Pass& pass) {
  return api::grove::ReadPodClique(pass.clique.object).status;
}

base::Status WriteStatus(Pass& pass) {
  COPPICE_ASSIGN(kube::Applied written,
                 kube::PatchStatus(pass.context.client(), api::kPodCliques, pass.clique.object,
                                   api::grove::Write(pass.clique.status)));
  pass.clique = api::grove::ReadPodClique(std::move(written.object));
  return {};
}

}  // namespace coppice::operators::podclique
