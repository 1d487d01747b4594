#include "operator/podclique/init_container.h"

#include <fmt/format.h>

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

json::Value DownwardItem(std::string_view path, std::string field) {
  return json::Value::Object(
      {{"path", path}, {"fieldRef", json::Value::Object({{"fieldPath", std::move(field)}})}});
}

json::Value TokenVolume(const PodCliqueSet& set) {
  return json::Value::Object(
      {{"name", kTokenVolume},
       {"secret", json::Value::Object({{"secretName", names::TokenSecret(set.name())},
                                       {"defaultMode", kReadableByAll}})}});
}

json::Value PodInfoVolume() {
  const json::Value items = json::Value::Array(
      {DownwardItem("namespace", "metadata.namespace"),
       DownwardItem("podgangname", fmt::format("metadata.labels['{}']", labels::kPodGang))});
  return json::Value::Object(
      {{"name", kPodInfoVolume},
       {"downwardAPI", json::Value::Object({{"items", items}, {"defaultMode", kReadableByAll}})}});
}

json::Value Mount(std::string_view volume, std::string_view path) {
  return json::Value::Object({{"name", volume}, {"readOnly", true}, {"mountPath", path}});
}

// The template whose PodCliques are named like this: `<set>-<i>-[<group>-<j>-]<clique>`.
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
  json::Value container = json::Value::Object(
      {{"name", initc::kContainerName},
       {"image", config.init_container_image},
       {"volumeMounts",
        json::Value::Array(
            {Mount(kPodInfoVolume, "/var/grove/pod-info"),
             Mount(kTokenVolume, "/var/run/secrets/kubernetes.io/serviceaccount")})}});
  json::Value& arguments = container.Mutable("args") = json::Value::Array();
  // Grove's image is the init container's own. Ours is the one that the operator runs from, so it
  // is on the node or can be pulled like it.
  if (config.policy().InitContainerIsSubcommand()) {
    arguments.Append(initc::kSubcommand);
    container.Set("imagePullPolicy", "IfNotPresent");
  }
  COPPICE_TRY(AddRequirements(set, starts_after, arguments));
  pod_spec.Mutable("volumes").Append(TokenVolume(set)).Append(PodInfoVolume());
  pod_spec.Mutable("initContainers").Append(std::move(container));
  return {};
}

}  // namespace coppice::operators::podclique
