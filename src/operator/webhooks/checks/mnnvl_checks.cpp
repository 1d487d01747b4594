#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "api/schema/errors/field_error.h"
#include "api/selectors/names.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"
#include "operator/webhooks/checks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;

struct Layer {
  std::string path;  // The path of the annotation.
  std::optional<std::string> group;
};

std::optional<std::string> GroupIn(const StringMap& annotations) {
  const auto found = annotations.find(std::string(labels::kMnnvlGroup));
  if (found == annotations.end()) return std::nullopt;
  return found->second;
}

std::string PathIn(const std::string& owner) {
  return fmt::format("{}.annotations.{}", owner, labels::kMnnvlGroup);
}

// The annotations of the set, each clique and each group, in this order.
std::vector<Layer> Layers(const PodCliqueSet& set) {
  std::vector<Layer> layers = {{PathIn("metadata"), GroupIn(AnnotationsOf(set.object))}};
  const auto& tmpl = set.spec.template_;
  for (size_t i = 0; i < tmpl.cliques.size(); ++i) {
    layers.push_back({PathIn(CliquePath(i)), GroupIn(tmpl.cliques[i].annotations)});
  }
  for (size_t i = 0; i < tmpl.podCliqueScalingGroups.size(); ++i) {
    layers.push_back({PathIn(GroupPath(i)), GroupIn(tmpl.podCliqueScalingGroups[i].annotations)});
  }
  return layers;
}

std::string Problem(const std::string& group) {
  if (group.empty()) return "mnnvl-group value must not be empty";
  const api::Problems problems = api::Dns1123LabelProblems(group);
  if (problems.empty()) return "";
  return fmt::format("mnnvl-group value {} is not a valid DNS-1123 label: {}", api::Quoted(group),
                     fmt::join(problems, "; "));
}

void CheckUnchanged(const std::string& path, const std::optional<std::string>& group,
                    const std::optional<std::string>& old, Causes& causes) {
  if (group == old) return;
  if (!old || !group) {
    causes.push_back(
        api::ForbiddenField(path, fmt::format("annotation {} cannot be {} after creation",
                                              labels::kMnnvlGroup, old ? "removed" : "added")));
    return;
  }
  causes.push_back(api::InvalidField(
      path, *group,
      fmt::format("annotation {} is immutable and cannot be changed from {} to {}",
                  labels::kMnnvlGroup, api::Quoted(*old), api::Quoted(*group))));
}

}  // namespace

void CheckMnnvl(const PodCliqueSet& set, bool enabled, Causes& causes) {
  for (const auto& [path, group] : Layers(set)) {
    if (!group || *group == labels::kMnnvlNone) continue;
    if (const std::string problem = Problem(*group); !problem.empty()) {
      causes.push_back(api::InvalidField(path, *group, problem));
    }
    if (enabled) continue;
    causes.push_back(api::InvalidField(
        path, *group,
        fmt::format("MNNVL is not enabled in the operator configuration. Either enable MNNVL "
                    "globally or remove the {} annotation",
                    labels::kMnnvlGroup)));
  }
}

// Matches cliques and groups by name, because their order may change.
void CheckMnnvlImmutable(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  CheckUnchanged(PathIn("metadata"), GroupIn(AnnotationsOf(set.object)),
                 GroupIn(AnnotationsOf(old.object)), causes);
  const auto& tmpl = set.spec.template_;
  for (size_t i = 0; i < tmpl.cliques.size(); ++i) {
    const auto* before = old.spec.template_.FindClique(tmpl.cliques[i].name);
    if (before == nullptr) continue;
    CheckUnchanged(PathIn(CliquePath(i)), GroupIn(tmpl.cliques[i].annotations),
                   GroupIn(before->annotations), causes);
  }
  for (size_t i = 0; i < tmpl.podCliqueScalingGroups.size(); ++i) {
    const auto* before = old.spec.template_.FindGroup(tmpl.podCliqueScalingGroups[i].name);
    if (before == nullptr) continue;
    CheckUnchanged(PathIn(GroupPath(i)), GroupIn(tmpl.podCliqueScalingGroups[i].annotations),
                   GroupIn(before->annotations), causes);
  }
}

}  // namespace coppice::operators::webhooks
