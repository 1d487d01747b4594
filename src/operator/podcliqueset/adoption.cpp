#include "operator/podcliqueset/adoption.h"

#include "api/edit/grove.h"
#include "api/grove/convert.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/adopted_hashes.h"
#include "operator/common/hash.h"
#include "operator/common/names.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;

// The found hashes belong to the current template: it has been observed, and no update is running.
bool IsAtRest(const PodCliqueSet& set) {
  return set.status.currentGenerationHash && set.status.observedGeneration == set.generation() &&
         !set.status.UpdateRunning();
}

// The hash that all PodCliques of this template have; "" if they differ, or there are none.
std::string FoundOn(const std::vector<json::Value>& cliques, const std::string& template_name) {
  std::string found;
  for (const json::Value& clique : cliques) {
    if (kube::IsDeleting(clique) || names::CliqueTemplateName(clique) != template_name) continue;
    const std::string hash(kube::Label(clique, labels::kTemplateHash));
    if (!found.empty() && hash != found) return "";
    found = hash;
  }
  return found;
}

}  // namespace

base::Status AdoptFoundHashes(const Context& context, PodCliqueSet& set) {
  if (!IsAtRest(set)) return {};
  const auto cliques = context.PartOf(context.cliques, set.ns(), set.name());
  AdoptedHashes hashes;
  hashes.AdoptSet(OwnGenerationHash(set.spec.template_), *set.status.currentGenerationHash);
  for (const auto& clique : set.spec.template_.cliques) {
    const std::string found = FoundOn(cliques, clique.name);
    if (found.empty()) continue;
    hashes.AdoptClique(clique.name, OwnPodTemplateHash(clique, set.spec.template_), found);
  }
  json::Value desired = set.object;
  edit::grove::PodCliqueSet(desired).metadata().annotations().Set(labels::kAdoptedHashes,
                                                                  hashes.Text());
  COPPICE_ASSIGN(kube::Applied written,
                 context.CreateOrPatch(api::kPodCliqueSets, set.object, desired));
  set = api::grove::ReadPodCliqueSet(std::move(written.object));
  return {};
}

}  // namespace coppice::operators::podcliqueset
