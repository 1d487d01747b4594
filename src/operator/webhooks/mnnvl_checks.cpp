#include "api/schema/field_error.h"
#include "api/selectors/names.h"
#include "operator/common/labels.h"
#include "operator/common/metadata.h"
#include "operator/webhooks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;

std::string PathIn(const std::string& owner) {
  return api::Key(owner + ".annotations", kMnnvlGroupKey);
}

// The annotation's value at each layer, by path; layers without it are left out.
std::map<std::string, std::string> Layers(const PodCliqueSet& set) {
  std::map<std::string, std::string> layers;
  const auto add = [&](const std::string& owner, const StringMap& annotations) {
    const auto found = annotations.find(std::string(kMnnvlGroupKey));
    if (found != annotations.end()) layers[PathIn(owner)] = found->second;
  };
  add("metadata", AnnotationsOf(set.object));
  const auto& tmpl = set.spec.template_;
  for (size_t i = 0; i < tmpl.cliques.size(); ++i) add(CliquePath(i), tmpl.cliques[i].annotations);
  for (size_t i = 0; i < tmpl.podCliqueScalingGroups.size(); ++i) {
    add(GroupPath(i), tmpl.podCliqueScalingGroups[i].annotations);
  }
  return layers;
}

}  // namespace

void CheckMnnvl(const PodCliqueSet& set, bool enabled, Causes& causes) {
  for (const auto& [path, group] : Layers(set)) {
    if (group == kMnnvlOptOut) continue;
    const api::Problems problems = api::Dns1123LabelProblems(group);
    if (!problems.empty()) {
      causes.push_back(api::InvalidField(path, group, api::JoinProblems(problems)));
    } else if (!enabled) {
      causes.push_back(api::InvalidField(path, group, "MNNVL is not enabled in the operator "
                                                      "configuration (network.autoMNNVLEnabled)"));
    }
  }
}

void CheckMnnvlImmutable(const PodCliqueSet& set, const PodCliqueSet& old, Causes& causes) {
  const auto before = Layers(old);
  const auto after = Layers(set);
  for (const auto& [path, group] : after) {
    const auto was = before.find(path);
    if (was == before.end()) {
      causes.push_back(api::ForbiddenField(path, "annotation cannot be added after creation"));
    } else if (was->second != group) {
      causes.push_back(api::InvalidField(path, group, "field is immutable"));
    }
  }
  for (const auto& [path, group] : before) {
    if (!after.contains(path)) {
      causes.push_back(api::ForbiddenField(path, "annotation cannot be removed after creation"));
    }
  }
}

}  // namespace coppice::operators::webhooks
