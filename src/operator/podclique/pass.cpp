#include "operator/podclique/pass.h"

#include "api/well_known.h"
#include "operator/common/labels.h"
#include "operator/common/names.h"

namespace coppice::operators::podclique {

bool Pass::standalone() const { return clique.label(kScalingGroupLabel).empty(); }

int Pass::replica() const {
  return names::IndexLabel(clique.object, kReplicaIndexLabel).value_or(0);
}

base::Status WriteStatus(Pass& pass, const api::grove::PodCliqueStatus& status) {
  if (status == pass.clique.status) return {};
  COPPICE_ASSIGN(Writer::Written written,
                 pass.context.writer().PatchStatus(api::kPodCliques, pass.clique.object,
                                                   api::grove::Write(status)));
  pass.clique = api::grove::ReadPodClique(std::move(written.object));
  return {};
}

}  // namespace coppice::operators::podclique
