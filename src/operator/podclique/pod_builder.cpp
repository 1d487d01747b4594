#include "operator/podclique/pod_builder.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "operator/common/environment.h"
#include "operator/common/names.h"
#include "operator/common/resource_claims.h"
#include "operator/podclique/init_container.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators::podclique {
namespace {

using api::grove::PodClique;
using api::grove::PodCliqueSet;

// Metadata that others put on the clique is not copied to its pods.
StringMap WithoutForeign(const Config& config, StringMap metadata, const StringMap& of_template) {
  if (config.policy().CopiesForeignMetadataToPods()) return metadata;
  std::erase_if(metadata, [&](const auto& entry) {
    return !of_template.contains(entry.first) && !IsOperatorKey(entry.first);
  });
  metadata.erase(std::string(labels::kCopiedKeys));
  return metadata;
}

json::Value NewPod(const Config& config, const PodClique& clique,
                   const api::grove::PodCliqueTemplate& of, int replica, int index) {
  json::Value pod = kube::NewObject(api::kPods, clique.ns(), "");
  const edit::meta::ObjectMeta metadata = edit::core::Pod(pod).metadata();
  metadata.clear_name();
  metadata.set_generateName(clique.name() + "-");
  StringMap labels = WithoutForeign(config, LabelsOf(clique.object), of.labels);
  labels[std::string(labels::kPodClique)] = clique.name();
  labels[std::string(labels::kSetReplica)] = fmt::format("{}", replica);
  labels[std::string(labels::kPodGang)] = clique.label(labels::kPodGang);
  labels[std::string(labels::kPodIndex)] = fmt::format("{}", index);
  SetLabels(pod, labels);
  SetAnnotations(pod, WithoutForeign(config, AnnotationsOf(clique.object), of.annotations));
  SetController(pod, clique.object);
  return pod;
}

std::vector<json::Value> Environment(const PodCliqueSet& set, const PodClique& clique,
                                     int replica) {
  return {EnvValue("GROVE_PCS_NAME", set.name()),
          EnvValue("GROVE_PCS_INDEX", fmt::format("{}", replica)),
          EnvValue("GROVE_PCLQ_NAME", clique.name()),
          EnvValue("GROVE_HEADLESS_SERVICE", names::ServiceDns(set.name(), replica, set.ns())),
          EnvFromLabel("GROVE_PCLQ_POD_INDEX", labels::kPodIndex)};
}

}  // namespace

base::Result<json::Value> BuildPod(const Config& config, const PodCliqueSet& set,
                                   const PodClique& clique, int index) {
  const auto replica = names::IndexLabel(clique.object, labels::kSetReplica);
  if (!replica) return base::InvalidArgument("PodClique has no replica index label");
  const auto* clique_template =
      set.spec.template_.FindClique(names::CliqueTemplateName(clique.object));
  if (clique_template == nullptr) {
    return base::NotFound("PodCliqueSet " + set.name() + " has no template for PodClique " +
                          clique.name());
  }
  json::Value pod = NewPod(config, clique, *clique_template, *replica, index);
  json::Value spec = clique.spec.podSpec;
  const edit::core::PodSpec edit(spec);
  if (!config.policy().KeepsTemplateGates()) edit.clear_schedulingGates();
  PrependEnvironment(spec, Environment(set, clique, *replica));
  edit.set_hostname(fmt::format("{}-{}", clique.name(), index));
  edit.set_subdomain(names::Replica(set.name(), *replica));
  AddClaims(spec, ClaimsOfPod(set, *replica, *clique_template, clique.label(labels::kScalingGroup),
                              names::IndexLabel(clique.object, labels::kScalingGroupReplica),
                              clique.name(), index));
  if (!clique.spec.startsAfter.empty()) {
    COPPICE_TRY(AddInitContainer(config, set, clique.spec.startsAfter, spec));
  }
  edit::core::Pod(pod).set_spec(std::move(spec));
  return pod;
}

}  // namespace coppice::operators::podclique
