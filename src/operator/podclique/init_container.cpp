#include "operator/podclique/init_container.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "operator/common/names.h"
#include "operator/initc/requirements.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podclique {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueTemplate;

constexpr std::string_view kTokenVolume = "sa-token-secret-vol";
constexpr std::string_view kPodInfoVolume = "pod-info-vol";
constexpr int kReadableByAll = 0644;

void AddTokenVolume(const PodCliqueSet& set, edit::core::PodSpec pod_spec) {
  pod_spec.add_volumes()
      .set_name(kTokenVolume)
      .secret()
      .set_secretName(names::TokenSecret(set.name()))
      .set_defaultMode(kReadableByAll);
}

void AddPodInfoVolume(edit::core::PodSpec pod_spec) {
  const edit::core::DownwardAPIVolumeSource info =
      pod_spec.add_volumes().set_name(kPodInfoVolume).downwardAPI();
  info.set_defaultMode(kReadableByAll);
  info.add_items().set_path("namespace").fieldRef().set_fieldPath("metadata.namespace");
  info.add_items()
      .set_path("podgangname")
      .fieldRef()
      .set_fieldPath(fmt::format("metadata.labels['{}']", labels::kPodGang));
}

void Mount(std::string_view volume, std::string_view path, edit::core::Container container) {
  container.add_volumeMounts().set_name(volume).set_readOnly(true).set_mountPath(path);
}

// The template of a PodClique with this name: `<set>-<i>-[<group>-<j>-]<clique>`.
const PodCliqueTemplate* TemplateOf(const PodCliqueSet& set, const std::string& clique_name) {
  for (int i = 0; i < set.spec.replicas; ++i) {
    for (const PodCliqueTemplate& clique : set.spec.template_.cliques) {
      const auto* group = set.spec.template_.GroupOf(clique.name);
      if (group == nullptr) {
        if (names::StandaloneClique(set.name(), i, clique.name) == clique_name) return &clique;
        continue;
      }
      const std::string prefix = names::ScalingGroup(set.name(), i, group->name) + "-";
      const std::string suffix = "-" + clique.name;
      if (!clique_name.starts_with(prefix) || !clique_name.ends_with(suffix)) continue;
      if (clique_name.size() <= prefix.size() + suffix.size()) continue;
      const std::string index =
          clique_name.substr(prefix.size(), clique_name.size() - prefix.size() - suffix.size());
      if (index.find_first_not_of("0123456789") == std::string::npos) return &clique;
    }
  }
  return nullptr;
}

base::Status AddRequirements(const PodCliqueSet& set, const std::vector<std::string>& starts_after,
                             json::Value& arguments) {
  for (const std::string& name : starts_after) {
    const PodCliqueTemplate* clique = TemplateOf(set, name);
    if (clique == nullptr) return base::NotFound("no template for PodClique " + name);
    arguments.Append(fmt::format("--podcliques={}:{}", name, clique->spec.MinAvailable()));
  }
  return {};
}

}  // namespace

base::Status AddInitContainer(const Config& config, const PodCliqueSet& set,
                              const std::vector<std::string>& starts_after, json::Value& pod_spec) {
  if (config.init_container_image.empty()) {
    return base::InvalidArgument("no init container image is configured");
  }
  const bool subcommand = config.policy().InitContainerIsSubcommand();
  json::Value arguments = json::Value::Array();
  if (subcommand) arguments.Append(initc::kSubcommand);
  COPPICE_TRY(AddRequirements(set, starts_after, arguments));
  const edit::core::PodSpec edit(pod_spec);
  AddTokenVolume(set, edit);
  AddPodInfoVolume(edit);
  const edit::core::Container container = edit.add_initContainers();
  container.set_name(initc::kContainerName)
      .set_image(config.init_container_image)
      .set_args(std::move(arguments));
  Mount(kPodInfoVolume, "/var/grove/pod-info", container);
  Mount(kTokenVolume, "/var/run/secrets/kubernetes.io/serviceaccount", container);
  // The operator runs from the same image, so it is on the node or can be pulled in the same way.
  if (subcommand) container.set_imagePullPolicy("IfNotPresent");
  return {};
}

}  // namespace coppice::operators::podclique
